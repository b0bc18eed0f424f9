"""Loads every line of a read, and states passed back, into Airbyte's models. For other commands see test_standard_tests.py."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from airbyte_cdk.test.entrypoint_wrapper import EntrypointOutput
from airbyte_protocol.models import ConfiguredAirbyteCatalog

from program import catalog_for
from sandbox import World
from strict_messages import load_strictly, run_strictly


def modeled_catalog(world: World, mode: str) -> Any:
    """Returns the discovered catalog as the model writes it, with nulls for missing members."""
    catalog = ConfiguredAirbyteCatalog.model_validate(catalog_for(world.config, mode))
    return json.loads(catalog.model_dump_json())


@pytest.mark.parametrize("mode", ["full_refresh", "incremental"])
def test_read_and_read_again(mode: str) -> None:
    world = World(assets=300, alarms=400, knobs={"alarmsMaxPageSize": 100})
    files = {"config": world.config, "catalog": modeled_catalog(world, mode)}
    first, messages = run_strictly("read", **files)
    assert first.code == 0
    assert {message.type.value for message in messages} >= {"RECORD", "STATE", "TRACE", "LOG"}
    rows = Counter(message.record.stream for message in messages if message.record is not None)
    assert rows == {"assets": 300, "alarms": 400}
    # passed back as by a Python client: loaded into the model and written with nulls
    states = [message.state for message in messages if message.state is not None]
    last = {state.stream.stream_descriptor.name: json.loads(state.model_dump_json()) for state in states}
    assert set(last) == {"assets", "alarms"}
    world.change("alarms/arrive", count=7)
    second, _ = run_strictly("read", **files, state=list(last.values()))
    assert second.code == 0
    alarms = [record for record in second.messages("RECORD") if record["stream"] == "alarms"]
    assert len(alarms) == (7 if mode == "incremental" else 407)


@pytest.mark.parametrize(("refused", "served"), [("assets", "alarms"), ("alarms", "assets")])
def test_a_failing_stream(refused: str, served: str) -> None:
    world = World(assets=60, alarms=60)
    catalog = modeled_catalog(world, "incremental")
    world.knobs(permissions={refused: False})
    done, _ = run_strictly("read", config=world.config, catalog=catalog)
    output = EntrypointOutput(messages=done.lines)
    assert done.code == 1
    (error,) = [message.trace.error for message in output.errors]
    assert (error.failure_type.value, error.stream_descriptor.name) == ("config_error", refused)
    last = [output.get_stream_statuses(stream)[-1].value for stream in (refused, served)]
    assert last == ["INCOMPLETE", "COMPLETE"]
    assert len(output.records) == 60


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"RECORD","record":{"stream":"assets","data":{},"emitted_at":1,"unknown":1}}',
        '{"type":"RECORD","record":{"stream":"assets","data":{},"emitted_at":"1"}}',
        '{"type":"RECORD","record":{"stream":"assets","data":{}}}',
        '{"type":"STATE","state":{"type":"STREAMS"}}',
        '{"type":"TRACE","trace":{"type":"ERROR","emitted_at":1,"error":{"message":"x","failure":"y"}}}',
        '{"type":"NEW"}',
        "text",
    ],
)
def test_invalid_messages_are_rejected(line: str) -> None:
    with pytest.raises(Exception):  # noqa: B017 - each model has different errors
        load_strictly(line)
