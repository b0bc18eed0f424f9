"""Runs deploy/tables.sql on outputs of deploy/run.sh, and compares the tables with the rows of the API."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from program import PROGRAM
from sandbox import World, exact_json
from tables import ALL_KEYS, same

DEPLOY = Path(__file__).parents[3] / "deploy"
DUCKDB = Path(sys.executable).with_name("duckdb")


def workplace(folder: Path, config: object) -> None:
    (folder / "config.json").write_text(json.dumps(config))
    for file in ("run.sh", "tables.sql"):
        shutil.copy(DEPLOY / file, folder)


def outputs(folder: Path) -> list[Path]:
    return sorted(folder.glob("out-*.jsonl"))


def start_run(folder: Path) -> subprocess.Popen[bytes]:
    # in a group of its own, so that a test can kill all of its processes
    return subprocess.Popen([folder / "run.sh", PROGRAM], start_new_session=True)


def run_script(folder: Path) -> tuple[int, str]:
    """Runs tables.sql as the docs do. Returns its exit code and what it printed."""
    with open(folder / "tables.sql") as script:
        done = subprocess.run([DUCKDB, "fleet.duckdb"], stdin=script, cwd=folder, capture_output=True, check=False)
    return done.returncode, (done.stdout + done.stderr).decode()


def load(folder: Path) -> None:
    assert run_script(folder) == (0, "")


def query(folder: Path, sql: str) -> list[dict[str, Any]]:
    """Returns rows with JSON as text."""
    with duckdb.connect(folder / "fleet.duckdb", read_only=True) as database:
        database.execute("SET TimeZone = 'UTC'")
        found = database.execute(sql)
        names = [name for name, *_ in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def columns(folder: Path) -> list[tuple[str, ...]]:
    """Returns the table, the name and the type of each column."""
    sql = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = 'fleet' AND schema_name = 'main'"
    return [tuple(row.values()) for row in query(folder, f"{sql} ORDER BY table_name, column_index")]


def table(folder: Path, stream: str) -> dict[str, dict[str, Any]]:
    """Returns the rows of a table by their keys, each of which must occur once."""
    rows = query(folder, f'FROM "{stream}"')
    key = ALL_KEYS[stream]
    found = {row[key]: row for row in rows}
    assert len(found) == len(rows)
    return found


def is_same(cell: Any, value: Any) -> bool:
    """Whether a cell has exactly the value that the API sent."""
    if isinstance(cell, datetime):
        return bool(cell == datetime.fromisoformat(value))
    return same(exact_json(cell), value) if isinstance(value, (dict, list)) else same(cell, value)


def assert_rows(found: dict[str, dict[str, Any]], truth: dict[str, dict[str, Any]]) -> None:
    assert found.keys() == truth.keys()
    for key, row in truth.items():
        for name in found[key].keys() | row.keys():
            assert is_same(found[key].get(name), row.get(name)), (key, name)


def test_tables_after_five_hourly_runs_of_which_one_is_killed(tmp_path: Path) -> None:
    world = World(assets=300, alarms=900, drivers=40, trips=400)
    streams = ["assets", "alarms", "drivers", "trips"]
    config = {**world.config, "concurrency": 1}
    config["assets"] = {**config["assets"], "page_size": 15}
    workplace(tmp_path, config)

    def truth() -> dict[str, dict[str, dict[str, Any]]]:
        return {name: {row[ALL_KEYS[name]]: row for row in world.truth(name)} for name in streams}

    def change() -> None:
        world.change("clock", advanceSeconds=3600)
        for name in ("assets", "drivers"):
            world.change(f"{name}/delete", count=7, at="random")
            world.change(f"{name}/insert", count=11)
        for name in ("alarms", "trips"):
            world.change(f"{name}/arrive", count=130)

    def load_and_compare() -> None:
        # the second time is idempotent
        for _ in range(2):
            load(tmp_path)
            for name, rows in truth().items():
                assert_rows(table(tmp_path, name), rows)

    for _ in range(2):
        assert start_run(tmp_path).wait() == 0
        load_and_compare()
        change()
    before = truth()

    world.knobs(latencyMs=400)
    killed = start_run(tmp_path)
    while len(outputs(tmp_path)) < 3 or '"anchors":["' not in outputs(tmp_path)[2].read_text():
        assert killed.poll() is None
        time.sleep(0.05)
        # during a run, too
        load(tmp_path)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    world.knobs(latencyMs=0)
    newest = outputs(tmp_path)[-1]
    # a line that ends in the middle of a character
    newest.write_bytes(newest.read_bytes() + '{"type":"RECORD","record":{"stream":"assets","emitted_at":1,"data":{"é'.encode()[:-1])
    load(tmp_path)
    # still the assets of the second read
    assert len(table(tmp_path, "assets")) == 304
    assert table(tmp_path, "alarms").keys() <= before["alarms"].keys()

    change()
    assert start_run(tmp_path).wait() == 0
    load(tmp_path)
    now = truth()
    # the resumed read began before the changes, and may have emitted rows that were deleted since
    assert now["assets"].keys() <= table(tmp_path, "assets").keys() <= now["assets"].keys() | before["assets"].keys()
    for name in ("alarms", "trips", "drivers"):
        assert_rows(table(tmp_path, name), now[name])

    # loaded outputs may be deleted, except the newest
    for output in outputs(tmp_path)[:-1]:
        output.unlink()
    change()
    assert start_run(tmp_path).wait() == 0
    load_and_compare()


def record(stream: str, data: str) -> str:
    return f'{{"type":"RECORD","record":{{"stream":"{stream}","emitted_at":1795655875139,"data":{data}}}}}'


def status(stream: str, name: str) -> str:
    descriptor = f'{{"stream_descriptor":{{"name":"{stream}"}},"status":"{name}"}}'
    return f'{{"type":"TRACE","trace":{{"type":"STREAM_STATUS","emitted_at":1795655875139,"stream_status":{descriptor}}}}}'


def state(stream: str, value: str) -> str:
    stream_state = f'{{"stream_descriptor":{{"name":"{stream}"}},"stream_state":{value}}}'
    return f'{{"type":"STATE","state":{{"type":"STREAM","stream":{stream_state},"sourceStats":{{"recordCount":0}}}}}}'


def write(folder: Path, number: int, *lines: str) -> None:
    (folder / f"out-2026010{number}T000000Z.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


ALARMS = {"alarms": {"base_url": "http://127.0.0.1"}}
ASSETS = {"assets": {"base_url": "http://127.0.0.1"}}


@pytest.mark.parametrize(
    ("values", "kind", "cells"),
    [
        (["1", "-9223372036854775808", "9223372036854775807", "null"], "BIGINT", [1, -(2**63), 2**63 - 1, None]),
        (["9223372036854775808", "-1"], "HUGEINT", [2**63, -1]),
        (["1.10", "-0.0", "12"], "DECIMAL(38,2)", [Decimal("1.1"), Decimal(0), Decimal(12)]),
        (["1E-7", "1.99E+4", "123456789012345678901"], "DECIMAL(38,7)", [Decimal("1E-7"), 19900, 123456789012345678901]),
        (["0.12345678901234567891"], "DECIMAL(38,20)", [Decimal("0.12345678901234567891")]),
        (["1E400", "1.50"], "VARCHAR", ["1E400", "1.50"]),
        (["1e-99999999999"], "VARCHAR", ["1e-99999999999"]),
        (["9" * 40], "VARCHAR", ["9" * 40]),
        (["true", "false"], "BOOLEAN", [True, False]),
        (["null", "null"], "VARCHAR", [None, None]),
        (
            ['"2026-01-31T10:00:00.123456Z"', '"2026-01-31T10:00:00.1234560+02:00"'],
            "TIMESTAMP WITH TIME ZONE",
            [datetime(2026, 1, 31, hour, 0, 0, 123456, timezone.utc) for hour in (10, 8)],
        ),
        (
            ['"2026-01-31T10:00:00"', '"2026-01-31 11:00:00.5"'],
            "TIMESTAMP",
            [datetime(2026, 1, 31, 10), datetime(2026, 1, 31, 11, 0, 0, 500000)],
        ),
        (['"2026-01-31"'], "DATE", [date(2026, 1, 31)]),
        (['"2026-01-31T10:00:00Z"', '"2026-01-31T10:00:00"'], "VARCHAR", ["2026-01-31T10:00:00Z", "2026-01-31T10:00:00"]),
        (['"2026-01-31T10:00:00.123456789Z"'], "VARCHAR", ["2026-01-31T10:00:00.123456789Z"]),
        (['"2026-01-31T10:00:00Z"', '"2026-02-30T10:00:00Z"'], "VARCHAR", ["2026-01-31T10:00:00Z", "2026-02-30T10:00:00Z"]),
        (['"2026-01-31T23:59:60Z"', '"1.50"', '"x"', '""'], "VARCHAR", ["2026-01-31T23:59:60Z", "1.50", "x", ""]),
        (['{"a":[1.10,"1.50",{}]}', "[]"], "JSON", ['{"a":[1.10,"1.50",{}]}', "[]"]),
        (["1.10", '"1.10"', "true"], "JSON", ["1.10", '"1.10"', "true"]),
        (['"a \\"1.5\\\\\\" 2"', '"\\u2028,3:4\\ud83d\\ude00"'], "VARCHAR", ['a "1.5\\" 2', "\u2028,3:4😀"]),
        (['"\\ud83d x"'], "VARCHAR", ["\ufffd x"]),
    ],
)
def test_types_hold_each_value_exactly(tmp_path: Path, values: list[str], kind: str, cells: list[Any]) -> None:
    workplace(tmp_path, ALARMS)
    rows = [f'{{"n":{number},"it\'s a \\"field\\"":{value}}}' for number, value in enumerate(values)]
    write(tmp_path, 1, *(record("alarms", row) for row in rows))
    load(tmp_path)
    found = query(tmp_path, "FROM alarms ORDER BY n")
    assert [row['it\'s a "field"'] for row in found] == cells
    assert columns(tmp_path)[-1:] == [("alarms", 'it\'s a "field"', kind)]
    assert [row["text"] for row in query(tmp_path, "SELECT text FROM raw.messages ORDER BY line")] == rows


def test_rows_of_cursor_lists_occur_once(tmp_path: Path) -> None:
    rows = ['{"id":"a","v":1}', '{"id":"b","v":1}', '{"id":"a","v":2}', '{"id":"b","v":1}', '{"v":3}', '{"v":3}', '{"v":4}']
    workplace(tmp_path, ALARMS)
    write(tmp_path, 1, *(record("alarms", row) for row in rows[:3]))
    write(tmp_path, 2, *(record("alarms", row) for row in rows[3:]))
    load(tmp_path)
    by_text = query(tmp_path, "SELECT id, v FROM alarms ORDER BY ALL")
    assert [tuple(row.values()) for row in by_text] == [("a", 1), ("a", 2), ("b", 1), (None, 3), (None, 4)]
    workplace(tmp_path, {"alarms": {**ALARMS["alarms"], "id_field": "id"}})
    load(tmp_path)
    by_key = query(tmp_path, "SELECT id, v FROM alarms ORDER BY ALL")
    assert [tuple(row.values()) for row in by_key] == [("a", 2), ("b", 1), (None, 3), (None, 4)]


@pytest.mark.parametrize(
    ("outputs", "rows"),
    [
        # a later read that failed, or has not ended
        ([["STARTED", "a", "b", "COMPLETE"], ["STARTED", "c"]], "ab"),
        ([["STARTED", "a", "b", "COMPLETE"], ["STARTED", "c", "INCOMPLETE"], ["STARTED", "d", "COMPLETE"]], "d"),
        # a read that was killed and resumed, twice
        ([["STARTED", "a", "b", "anchors"], ["anchors", "STARTED", "b", "c"], ["anchors", "STARTED", "d", "COMPLETE"]], "abcd"),
        # a read that was killed before its first position
        ([["done", "STARTED", "a"], ["done", "STARTED", "b", "done", "COMPLETE"]], "b"),
        # a read that did not find all rows, and gives no position
        ([["STARTED", "a", "nowhere", "INCOMPLETE"], ["nowhere", "STARTED", "b", "done", "COMPLETE"]], "b"),
        # several reads in one file
        ([["STARTED", "a", "done", "COMPLETE", "STARTED", "b", "anchors", "STARTED", "c", "COMPLETE"]], "bc"),
        ([["STARTED", "a", "COMPLETE"], ["STARTED", "COMPLETE"]], ""),
        ([["STARTED", "a"]], ""),
    ],
)
def test_offset_lists_are_the_latest_complete_read(tmp_path: Path, outputs: list[list[str]], rows: str) -> None:
    states = {
        "anchors": '{"offset":1,"anchors":["x"]}',
        "nowhere": '{"offset":0,"anchors":[]}',
        "done": '{"__ab_full_refresh_sync_complete":true}',
    }

    def line(word: str) -> str:
        if word.isupper():
            return status("assets", word)
        if word in states:
            return state("assets", states[word])
        return record("assets", f'{{"assetId":"{word}"}}')

    workplace(tmp_path, ASSETS)
    for number, words in enumerate(outputs):
        write(tmp_path, number, *map(line, words))
        load(tmp_path)
    assert [row["assetId"] for row in query(tmp_path, "FROM assets ORDER BY ALL")] == list(rows)


def test_columns_stay_and_have_distinct_names(tmp_path: Path) -> None:
    workplace(tmp_path, ASSETS)
    first = '{"assetId":"a","AssetID":1,"":2,"at":"2026-01-31T10:00:00Z"}'
    write(tmp_path, 1, status("assets", "STARTED"), record("assets", first), status("assets", "COMPLETE"))
    write(tmp_path, 2, status("assets", "STARTED"), record("assets", '{"assetId":"b","at":null}'), status("assets", "COMPLETE"))
    load(tmp_path)
    load(tmp_path)
    assert query(tmp_path, "FROM assets") == [{"assetId": "b", "at": None}]
    write(tmp_path, 3, status("assets", "STARTED"), record("assets", first), status("assets", "COMPLETE"))
    load(tmp_path)
    write(tmp_path, 4, status("assets", "STARTED"), status("assets", "COMPLETE"))
    load(tmp_path)
    assert query(tmp_path, "FROM assets") == []
    assert columns(tmp_path) == [
        ("assets", "assetId", "VARCHAR"),
        ("assets", "AssetID_2", "BIGINT"),
        ("assets", "at", "TIMESTAMP WITH TIME ZONE"),
        ("assets", "_", "BIGINT"),
    ]


def test_lists_without_rows_become_empty_tables(tmp_path: Path) -> None:
    trips = {"name": "trips", "paging": "cursor", "created_field": "startedAt"}
    drivers = {"name": "drivers", "paging": "offset", "id_field": "driverId"}
    workplace(tmp_path, {**ALARMS, "lists": [trips, drivers]})
    write(tmp_path, 1, status("alarms", "STARTED"))
    load(tmp_path)
    assert columns(tmp_path) == [
        ("alarms", "createdDate", "VARCHAR"),
        ("drivers", "driverId", "VARCHAR"),
        ("trips", "startedAt", "VARCHAR"),
    ]


def test_a_load_that_fails_leaves_the_tables(tmp_path: Path) -> None:
    workplace(tmp_path, ALARMS)
    write(tmp_path, 1, record("alarms", '{"id":"a"}'))
    load(tmp_path)
    outputs(tmp_path)[0].unlink()
    code, printed = run_script(tmp_path)
    assert code == 1
    assert "run this in the folder of out-*.jsonl: none of them is new" in printed
    assert query(tmp_path, "SELECT id FROM alarms") == [{"id": "a"}]
