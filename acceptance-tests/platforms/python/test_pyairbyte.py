"""Reads with PyAirbyte into its DuckDB cache, and compares the tables with the rows of the sandbox."""

from __future__ import annotations

import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import airbyte as ab
import pytest
from airbyte.exceptions import AirbyteConnectorCheckFailedError, AirbyteConnectorFailedError

from program import NAME, PROGRAM, cache_in, source_of
from sandbox import World
from tables import ALL_KEYS, assert_table_is_truth, table_rows


def assert_tables_are_truth(folder: Path, world: World) -> None:
    source, cache = source_of(world.config), cache_in(folder)
    for stream in ["assets", "alarms", *(entry["name"] for entry in world.config.get("lists", []))]:
        assert_table_is_truth(cache, stream, source.get_stream_json_schema(stream), world.truth(stream))


def read(folder: Path, world: World, **options: Any) -> int:
    """Reads into the cache of a folder with a new client. Returns the number of rows."""
    return int(source_of(world.config).read(cache=cache_in(folder), **options).processed_records)


def test_check_succeeds_or_names_the_problem() -> None:
    world = World()
    source_of(world.config).check()
    wrong = {**world.config, "client_secret": "wrong"}
    with pytest.raises(AirbyteConnectorCheckFailedError, match="client_secret"):
        ab.get_source(NAME, config=wrong, local_executable=PROGRAM).check()
    world.knobs(permissions={"alarms": False})
    with pytest.raises(AirbyteConnectorCheckFailedError, match="permission"):
        ab.get_source(NAME, config=world.config, local_executable=PROGRAM).check()


def test_the_next_read_returns_new_rows_only(tmp_path: Path) -> None:
    knobs = {"createdFormat": "microseconds", "alarmsMaxPageSize": 100, "tripsMaxPageSize": 100}
    world = World(assets=60, alarms=800, drivers=70, trips=500, knobs=knobs)
    assert read(tmp_path, world) == 1430
    assert_tables_are_truth(tmp_path, world)
    world.change("alarms/arrive", count=37)
    world.change("assets/insert", count=5)
    world.change("trips/arrive", count=11)
    world.change("drivers/insert", count=3)
    source = source_of(world.config)
    # discover requests rows too
    source.get_available_streams()
    world.clear_requests()
    assert source.read(cache=cache_in(tmp_path)).processed_records == 65 + 37 + 73 + 11
    assert world.rows_sent("alarms") < 60
    assert world.rows_sent("trips") < 30
    assert_tables_are_truth(tmp_path, world)
    world.change("assets/delete", count=20, at="random")
    read(tmp_path, world)
    # merged by primary key, so deleted rows are still in the table
    assert len(table_rows(cache_in(tmp_path), "assets")[1]) == 65
    for created in ("milliseconds", "seconds"):
        world.knobs(createdFormat=created)
        read(tmp_path, world, write_strategy="replace", force_full_refresh=True)
        assert_tables_are_truth(tmp_path, world)


def test_without_a_primary_key_rows_are_appended_once(tmp_path: Path) -> None:
    world = World(assets=3, alarms=300)
    del world.config["alarms"]["id_field"]
    for arrived in (0, 1, 0, 60):
        if arrived > 0:
            world.change("alarms/arrive", count=arrived)
        read(tmp_path, world)
    assert_tables_are_truth(tmp_path, world)


class LastProcess(subprocess.Popen[str]):
    """Records the latest process."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        LastProcess.last = self


def failing_read(folder: Path, world: World) -> int:
    """Returns the exit code of a read that fails."""
    with pytest.raises(AirbyteConnectorFailedError) as raised:
        read(folder, world)
    assert raised.value.context is not None
    return int(raised.value.context["exit_code"])


def test_failed_and_killed_reads_are_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", LastProcess)
    world = World(assets=200, alarms=600, drivers=100, trips=400)
    read(tmp_path, world)
    world.change("alarms/arrive", count=1500)
    world.change("assets/insert", count=50)
    world.change("trips/arrive", count=1500)
    world.change("drivers/insert", count=50)
    world.knobs(permissions={"alarms": False})
    assert failing_read(tmp_path, world) == 1
    assert [len(table_rows(cache_in(tmp_path), stream)[1]) for stream in ALL_KEYS] == [200, 600, 100, 400]
    world.knobs(permissions={"alarms": True}, latencyMs=30)
    world.clear_requests()
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(failing_read, tmp_path, world)
        while world.rows_sent("alarms") < 300 and not reading.done():
            time.sleep(0.01)
        LastProcess.last.kill()
        assert reading.result() == -signal.SIGKILL
    world.knobs(latencyMs=0)
    world.change("alarms/arrive", count=10)
    world.change("trips/arrive", count=10)
    read(tmp_path, world)
    assert_tables_are_truth(tmp_path, world)
