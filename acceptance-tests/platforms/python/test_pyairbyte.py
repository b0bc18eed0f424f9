"""PyAirbyte, a client that is not ours, with its DuckDB cache: what stands in the tables is what the sandbox holds."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import airbyte as ab
import pytest
from airbyte.exceptions import AirbyteConnectorCheckFailedError, AirbyteConnectorFailedError

from connector import NAME, Launcher
from sandbox import World, create_world
from tables import KEYS, assert_table_is_truth, table_rows


def source_for(launcher: Launcher, config: dict[str, Any]) -> ab.Source:
    return ab.get_source(NAME, config=config, streams="*", local_executable=launcher.path)


def cache_in(folder: Path) -> ab.DuckDBCache:
    """The cache in the file `cache.duckdb` of the folder; whoever opens it again finds what was there."""
    return ab.DuckDBCache(db_path=folder / "cache.duckdb")


def assert_tables_are_truth(cache: ab.DuckDBCache, source: ab.Source, world: World) -> None:
    for stream in KEYS:
        assert_table_is_truth(cache, stream, source.get_stream_json_schema(stream), world.truth(stream))


def test_check_succeeds_and_names_what_is_wrong(launcher: Launcher) -> None:
    world = create_world()
    source_for(launcher, world.config).check()
    wrong = {**world.config, "client_secret": "wrong"}
    with pytest.raises(AirbyteConnectorCheckFailedError, match="client_secret"):
        ab.get_source(NAME, config=wrong, local_executable=launcher.path).check()
    world.knobs(permissions={"alarms": False})
    with pytest.raises(AirbyteConnectorCheckFailedError, match="permission"):
        ab.get_source(NAME, config=world.config, local_executable=launcher.path).check()


@pytest.mark.parametrize("created", ["milliseconds", "microseconds", "seconds"])
def test_full_read(launcher: Launcher, tmp_path: Path, created: str) -> None:
    world = create_world(assets=700, alarms=900, knobs={"createdFormat": created, "alarmsMaxPageSize": 100})
    source, cache = source_for(launcher, world.config), cache_in(tmp_path)
    assert source.read(cache=cache).processed_records == 1600
    assert_tables_are_truth(cache, source, world)


def test_the_next_read_brings_what_arrived_and_no_more(launcher: Launcher, tmp_path: Path) -> None:
    world = create_world(assets=60, alarms=800, knobs={"alarmsMaxPageSize": 100})
    source_for(launcher, world.config).read(cache=cache_in(tmp_path))
    world.change("alarms/arrive", count=37)
    world.change("assets/insert", count=5)
    # another day: a new client on the same file
    source, cache = source_for(launcher, world.config), cache_in(tmp_path)
    source.get_available_streams()
    world.clear_requests()
    assert source.read(cache=cache).processed_records == 65 + 37
    assert world.rows_sent("alarms") < 60
    assert_tables_are_truth(cache, source, world)
    world.change("assets/delete", count=20, at="random")
    source.read(cache=cache)
    # merged by primary key: what is gone at the source is still in the table
    assert len(table_rows(cache, "assets")[1]) == 65
    source.read(cache=cache, write_strategy="replace", force_full_refresh=True)
    assert_tables_are_truth(cache, source, world)


def test_without_a_primary_key_rows_are_appended_once(launcher: Launcher, tmp_path: Path) -> None:
    world = create_world(assets=3, alarms=300)
    del world.config["alarms"]["id_field"]
    for arrived in (0, 1, 0, 60):
        if arrived > 0:
            world.change("alarms/arrive", count=arrived)
        source, cache = source_for(launcher, world.config), cache_in(tmp_path)
        source.read(cache=cache)
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


def read_in_vain(source: ab.Source, cache: ab.DuckDBCache) -> int:
    """The exit code of a read that fails."""
    with pytest.raises(AirbyteConnectorFailedError) as raised:
        source.read(cache=cache)
    assert raised.value.context is not None
    return int(raised.value.context["exit_code"])


def test_a_read_that_fails_or_is_killed_spoils_nothing(launcher: Launcher, tmp_path: Path) -> None:
    world = create_world(assets=200, alarms=600)
    source = source_for(launcher, world.config)
    source.read(cache=cache_in(tmp_path))
    world.change("alarms/arrive", count=1500)
    world.change("assets/insert", count=50)
    world.knobs(permissions={"alarms": False})
    cache = cache_in(tmp_path)
    assert read_in_vain(source, cache) == 1
    assert [len(table_rows(cache, stream)[1]) for stream in KEYS] == [200, 600]
    world.knobs(permissions={"alarms": True}, latencyMs=30)
    world.clear_requests()
    killer = kill_read_when(launcher, world, 300)
    # before the thread is waited for: a read that ended by itself would leave it waiting
    assert read_in_vain(source, cache_in(tmp_path)) == -signal.SIGKILL
    killer.join()
    world.knobs(latencyMs=0)
    world.change("alarms/arrive", count=10)
    again, cache = source_for(launcher, world.config), cache_in(tmp_path)
    again.read(cache=cache)
    assert_tables_are_truth(cache, again, world)
