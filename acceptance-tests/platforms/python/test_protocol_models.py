"""Every line that a read writes is a message of Airbyte's own models, strictly; so is every state it takes back.

What spec, check and discover write is loaded in the same way by test_standard_tests.py.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from airbyte_cdk.models import AirbyteMessage, Type
from airbyte_cdk.test.entrypoint_wrapper import EntrypointOutput
from airbyte_protocol.models import AirbyteMessage as PydanticMessage

from connector import Launcher, Run, run_program, write_json
from sandbox import World, create_world
from strict_messages import load_strictly

Record = Callable[[str, object], None]
NULLS_OF_STREAM = (
    *("source_defined_cursor", "default_cursor_field", "source_defined_primary_key"),
    *("namespace", "is_resumable"),
)
NULLS_OF_CHOICE = ("cursor_field", "primary_key", "generation_id", "minimum_generation_id", "sync_id")


def run(launcher: Launcher, folder: Path, command: str, **files: Any) -> tuple[Run, list[AirbyteMessage]]:
    """Runs a command with its files; each line of its output has been loaded strictly."""
    arguments = [command]
    for name, value in files.items():
        arguments += [f"--{name}", write_json(folder, f"{name}.json", value)]
    done = run_program(launcher, arguments)
    return done, [load_strictly(line) for line in done.lines]


def types(messages: list[AirbyteMessage]) -> set[str]:
    return {message.type.value for message in messages}


def catalog_of(messages: list[AirbyteMessage], mode: str) -> dict[str, Any]:
    """A configured catalog of all that was discovered, with every optional member written out as null."""
    (catalog,) = [message.catalog for message in messages if message.catalog is not None]
    return {
        "streams": [
            {
                "stream": {
                    "name": stream.name,
                    "json_schema": stream.json_schema,
                    "supported_sync_modes": [mode.value for mode in stream.supported_sync_modes],
                    **dict.fromkeys(NULLS_OF_STREAM),
                },
                "sync_mode": mode,
                "destination_sync_mode": "append_dedup",
                **dict.fromkeys(NULLS_OF_CHOICE),
            }
            for stream in catalog.streams
        ]
    }


def discovered(launcher: Launcher, folder: Path, world: World, mode: str) -> dict[str, Any]:
    _, messages = run(launcher, folder, "discover", config=world.config)
    assert types(messages) >= {"CATALOG"}
    return catalog_of(messages, mode)


@pytest.mark.parametrize("mode", ["full_refresh", "incremental"])
def test_read_and_read_again(launcher: Launcher, tmp_path: Path, record_property: Record, mode: str) -> None:
    world = create_world(assets=300, alarms=400, knobs={"alarmsMaxPageSize": 100})
    catalog = discovered(launcher, tmp_path, world, mode)
    first, messages = run(launcher, tmp_path, "read", config=world.config, catalog=catalog)
    assert first.code == 0
    assert types(messages) >= {"RECORD", "STATE", "TRACE", "LOG"}
    assert Counter(message.record.stream for message in messages if message.record is not None) == {
        "assets": 300,
        "alarms": 400,
    }
    # handed back as a client in Python does: loaded into the model and written anew, nulls and all
    last = {
        message.state.stream.stream_descriptor.name: PydanticMessage.model_validate_json(line).state
        for line, message in zip(first.lines, messages, strict=True)
        if message.state is not None and message.state.stream is not None
    }
    assert set(last) == {"assets", "alarms"}
    world.arrive_alarms(7)
    state = [json.loads(kept.model_dump_json()) for kept in last.values() if kept is not None]
    second, more = run(launcher, tmp_path, "read", config=world.config, catalog=catalog, state=state)
    assert second.code == 0
    alarms = [message for message in more if message.record is not None and message.record.stream == "alarms"]
    assert len(alarms) == (7 if mode == "incremental" else 407)
    record_property("lines loaded", len(first.lines) + len(second.lines))


@pytest.mark.parametrize("refused", ["assets", "alarms"])
def test_a_failing_stream(launcher: Launcher, tmp_path: Path, refused: str) -> None:
    world = create_world(assets=60, alarms=60)
    catalog = discovered(launcher, tmp_path, world, "incremental")
    world.knobs({"permissions": {refused: False}})
    done, _ = run(launcher, tmp_path, "read", config=world.config, catalog=catalog)
    output = EntrypointOutput(messages=done.lines)
    assert done.code == 1
    assert [str(found.trace.error.failure_type.value) for found in output.errors] == ["config_error"]
    assert output.errors[0].trace.error.stream_descriptor.name == refused
    served = "alarms" if refused == "assets" else "assets"
    assert [status.value for status in output.get_stream_statuses(refused)][-1] == "INCOMPLETE"
    assert [status.value for status in output.get_stream_statuses(served)][-1] == "COMPLETE"
    assert len(output.records) == 60


@pytest.mark.parametrize(
    "files",
    [{}, {"config": {}}, {"config": {"client_id": 5}}],
    ids=["no config", "empty config", "config of wrong types"],
)
def test_wrong_input(launcher: Launcher, tmp_path: Path, files: dict[str, Any]) -> None:
    done, messages = run(launcher, tmp_path, "read", **files)
    assert done.code != 0
    errors = [message for message in messages if message.type is Type.TRACE]
    assert len(errors) == 1


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
    ids=["unknown member", "text for a number", "missing member", "unknown state", "unknown", "new type", "no JSON"],
)
def test_what_is_no_message_is_refused(line: str) -> None:
    with pytest.raises(Exception):  # noqa: B017 - each model has errors of its own
        load_strictly(line)
