"""PyAirbyte, a client that is not ours, with its DuckDB cache: what stands in the tables is what the sandbox holds."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import airbyte as ab
import pytest
from airbyte.exceptions import AirbyteConnectorCheckFailedError, AirbyteConnectorFailedError

from connector import NAME, Launcher
from sandbox import World, create_world
from tables import assert_table_is_truth, table_rows

KEYS = {"assets": "assetId", "alarms": "alarmId"}
Record = Callable[[str, object], None]


def source_for(launcher: Launcher, config: dict[str, Any]) -> ab.Source:
    return ab.get_source(NAME, config=config, streams="*", local_executable=launcher.path)


def cache_in(folder: Path) -> ab.DuckDBCache:
    """The cache in the file `cache.duckdb` of the folder; whoever opens it again finds what was there."""
    return ab.DuckDBCache(db_path=folder / "cache.duckdb")


def assert_tables_are_truth(cache: ab.DuckDBCache, source: ab.Source, world: World) -> int:
    return sum(
        assert_table_is_truth(cache, stream, key, source.get_stream_json_schema(stream), world.truth(stream))
        for stream, key in KEYS.items()
    )


def test_check_succeeds_and_names_a_wrong_secret(launcher: Launcher) -> None:
    world = create_world()
    source_for(launcher, world.config).check()
    wrong = ab.get_source(
        NAME, config={**world.config, "client_secret": "wrong"}, local_executable=launcher.path
    )
    with pytest.raises(AirbyteConnectorCheckFailedError) as raised:
        wrong.check()
    assert "client_secret" in str(raised.value)


def test_a_config_is_held_to_the_spec_before_anything_runs(launcher: Launcher) -> None:
    config = {key: value for key, value in create_world().config.items() if key != "client_secret"}
    source = ab.get_source(NAME, local_executable=launcher.path)
    source.set_config(config, validate=False)
    with pytest.raises(ab.exceptions.AirbyteConnectorValidationFailedError):
        source.validate_config()


def test_discover_gives_streams_keys_and_types(launcher: Launcher) -> None:
    source = source_for(launcher, create_world().config)
    streams = {stream.name: stream for stream in source.discovered_catalog.streams}
    assert list(streams) == ["assets", "alarms"]
    assert {name: stream.source_defined_primary_key for name, stream in streams.items()} == {
        "assets": [["assetId"]],
        "alarms": [["alarmId"]],
    }
    assert streams["alarms"].default_cursor_field == ["createdDate"]
    assert [len(stream.json_schema["properties"]) for stream in streams.values()] == [23, 20]


@pytest.mark.parametrize("created", ["milliseconds", "microseconds", "seconds"])
def test_full_read(launcher: Launcher, tmp_path: Path, record_property: Record, created: str) -> None:
    world = create_world(assets=700, alarms=900, knobs={"createdFormat": created, "alarmsMaxPageSize": 100})
    source, cache = source_for(launcher, world.config), cache_in(tmp_path)
    result = source.read(cache=cache)
    assert result.processed_records == 1600
    record_property("rows", result.processed_records)
    record_property("values compared", assert_tables_are_truth(cache, source, world))


def test_big_integers_and_decimals_keep_their_digits(launcher: Launcher, tmp_path: Path) -> None:
    world = create_world(assets=0, alarms=400)
    source, cache = source_for(launcher, world.config), cache_in(tmp_path)
    source.read(cache=cache)
    truth = world.truth("alarms")
    types, rows = table_rows(cache, "alarms")
    # beyond 2^53 a float could not tell neighbours apart
    assert types["sequence"] == "BIGINT" and min(row["sequence"] for row in truth) > 2**53
    assert {row["sequence"] for row in rows} == {row["sequence"] for row in truth}
    assert {str(row["value"]) for row in truth} >= {"1.10", "1E-7", "-0.0"}
    assert {row["value"] for row in rows} == {row["value"] for row in truth}


def test_incremental_read_brings_what_arrived_and_no_more(
    launcher: Launcher, tmp_path: Path, record_property: Record
) -> None:
    world = create_world(assets=60, alarms=800, knobs={"alarmsMaxPageSize": 100})
    source_for(launcher, world.config).read(cache=cache_in(tmp_path))
    world.arrive_alarms(37)
    world.insert_assets(5)
    # another day: a new client on the same file
    source, cache = source_for(launcher, world.config), cache_in(tmp_path)
    source.get_available_streams()
    world.clear_requests()
    result = source.read(cache=cache)
    assert result.processed_records == 65 + 37
    assert world.rows_sent("alarms") < 60
    record_property("alarms read of 837", result.processed_records - 65)
    record_property("values compared", assert_tables_are_truth(cache, source, world))


def test_without_a_primary_key_rows_are_appended_once(launcher: Launcher, tmp_path: Path) -> None:
    world = create_world(assets=3, alarms=300)
    alarms = {key: value for key, value in world.config["alarms"].items() if key != "id_field"}
    for arrived in (0, 1, 0, 60):
        if arrived > 0:
            world.arrive_alarms(arrived)
        source, cache = source_for(launcher, {**world.config, "alarms": alarms}), cache_in(tmp_path)
        source.read(cache=cache)
    assert_tables_are_truth(cache, source, world)


def test_deleted_assets_go_with_replace(launcher: Launcher, tmp_path: Path) -> None:
    world = create_world(assets=90, alarms=5)
    source, cache = source_for(launcher, world.config), cache_in(tmp_path)
    source.read(cache=cache)
    world.delete_assets(20)
    source.read(cache=cache)
    # merged by primary key: what is gone at the source is still in the table
    assert len(table_rows(cache, "assets")[1]) == 90
    source.read(cache=cache, write_strategy="replace", force_full_refresh=True)
    assert_tables_are_truth(cache, source, world)


def kill_read_when(launcher: Launcher, world: World, alarms: int) -> threading.Thread:
    """Kills the process that reads as soon as the API has sent so many alarms; join it to know that it has."""

    def wait_and_kill() -> None:
        while world.rows_sent("alarms") < alarms:
            time.sleep(0.01)
        os.kill(launcher.process_id("read"), signal.SIGKILL)

    thread = threading.Thread(target=wait_and_kill, daemon=True)
    thread.start()
    return thread


def test_read_after_the_process_was_killed(
    launcher: Launcher, tmp_path: Path, record_property: Record
) -> None:
    world = create_world(assets=200, alarms=600)
    source_for(launcher, world.config).read(cache=cache_in(tmp_path))
    world.arrive_alarms(1500)
    world.insert_assets(50)
    world.knobs({"latencyMs": 30})
    source = source_for(launcher, world.config)
    source.get_available_streams()
    world.clear_requests()
    killer = kill_read_when(launcher, world, 300)
    with pytest.raises(AirbyteConnectorFailedError) as raised:
        source.read(cache=cache_in(tmp_path))
    # before the thread is waited for: a read that ended by itself would leave it waiting
    assert raised.value.context is not None and raised.value.context["exit_code"] == -signal.SIGKILL
    killer.join()
    record_property("alarms sent before the kill", world.rows_sent("alarms"))
    world.knobs({"latencyMs": 0})
    world.arrive_alarms(10)
    again, cache = source_for(launcher, world.config), cache_in(tmp_path)
    again.read(cache=cache)
    record_property("values compared", assert_tables_are_truth(cache, again, world))


def test_a_failing_stream_fails_the_read_and_spoils_nothing(launcher: Launcher, tmp_path: Path) -> None:
    world = create_world(assets=60, alarms=200)
    source_for(launcher, world.config).read(cache=cache_in(tmp_path))
    world.arrive_alarms(30)
    world.insert_assets(4)
    source, cache = source_for(launcher, world.config), cache_in(tmp_path)
    source.get_available_streams()
    world.knobs({"permissions": {"assets": True, "alarms": False}})
    with pytest.raises(AirbyteConnectorFailedError) as raised:
        source.read(cache=cache)
    assert raised.value.context is not None and raised.value.context["exit_code"] == 1
    assert [len(table_rows(cache, stream)[1]) for stream in KEYS] == [60, 200]
    with pytest.raises(AirbyteConnectorCheckFailedError) as refused:
        ab.get_source(NAME, config=world.config, local_executable=launcher.path).check()
    assert "permission" in str(refused.value)
    world.knobs({"permissions": {"assets": True, "alarms": True}})
    later = cache_in(tmp_path)
    source.read(cache=later)
    assert_tables_are_truth(later, source, world)
