"""Runs deploy/tables.sql on outputs of deploy/run.sh, and compares the tables with the rows of the API."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable

import duckdb
import pytest

from engines import Engine, engines
from sandbox import World, exact_json
from tables import ALL_KEYS, same

PROGRAM = Path(os.environ["PROGRAM"])
DEPLOY = Path(__file__).parents[3] / "deploy"
PINNED = Engine(Path(sys.executable).with_name("duckdb"))


def page(name: str) -> str:
    return (DEPLOY.parent / "docs" / name).read_text()


def workplace(folder: Path, config: object) -> None:
    (folder / "config.json").write_text(json.dumps(config))
    for file in ("run.sh", "tables.sql"):
        shutil.copy(DEPLOY / file, folder)


def outputs(folder: Path) -> list[Path]:
    return sorted(folder.glob("out-*.jsonl"))


def start_run(folder: Path) -> subprocess.Popen[bytes]:
    # in a group of its own, so that a test can kill all of its processes
    return subprocess.Popen([folder / "run.sh", PROGRAM], start_new_session=True)


def run_script(folder: Path, engine: Engine = PINNED) -> tuple[int, str]:
    """Runs tables.sql as the docs do. Returns its exit code and what it printed."""
    done = engine.run_tables(folder)
    return done.returncode, (done.stdout + done.stderr).decode()


def load(folder: Path, engine: Engine = PINNED) -> None:
    assert run_script(folder, engine) == (0, "")


def query(folder: Path, sql: str) -> list[dict[str, Any]]:
    """Returns rows with JSON as text."""
    try:
        return rows_of(folder / "fleet.duckdb", sql)
    except duckdb.IOException as error:
        # a later release has written the file
        assert "newer version" in str(error)
        source = f"{inspect.getsource(rows_of)}\nimport pickle, sys, duckdb\nsys.stdout.buffer.write(pickle.dumps(rows_of(*sys.argv[1:])))"
        program = next(engine.program for engine in engines() if "2." in engine.name.split()[-1][:2])
        done = subprocess.run([program, "-c", source, folder / "fleet.duckdb", sql], capture_output=True, check=True)
        return pickle.loads(done.stdout)  # type: ignore[no-any-return]


def rows_of(file, sql):  # type: ignore[no-untyped-def]
    with duckdb.connect(file, read_only=True) as database:
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


@pytest.mark.parametrize("engine", engines(), ids=str)
def test_tables_after_five_hourly_runs_of_which_one_is_killed(tmp_path: Path, engine: Engine) -> None:
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
            load(tmp_path, engine)
            for name, rows in truth().items():
                assert_rows(table(tmp_path, name), rows)

    for _ in range(2):
        assert start_run(tmp_path).wait() == 0
        load_and_compare()
        change()
    before = truth()

    world.knobs(latencyMs=400)
    killed = start_run(tmp_path)
    while not (parts := list(tmp_path.glob("out-*.part"))) or '"anchors":["' not in parts[0].read_text():
        assert killed.poll() is None
        time.sleep(0.05)
        # during a run, too
        load(tmp_path, engine)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    world.knobs(latencyMs=0)
    # a line that ends in the middle of a character
    cut = '{"type":"RECORD","record":{"stream":"assets","emitted_at":1,"data":{"é'.encode()[:-1]
    parts[0].write_bytes(parts[0].read_bytes() + cut)
    load(tmp_path, engine)
    # still the assets of the second read
    assert len(table(tmp_path, "assets")) == 304
    assert table(tmp_path, "alarms").keys() <= before["alarms"].keys()

    change()
    assert start_run(tmp_path).wait() == 0
    load(tmp_path, engine)
    now = truth()
    # the resumed read began before the changes, and may have emitted rows that were deleted since
    assert now["assets"].keys() <= table(tmp_path, "assets").keys() <= now["assets"].keys() | before["assets"].keys()
    for name in ("alarms", "trips", "drivers"):
        assert_rows(table(tmp_path, name), now[name])

    # the recipes: is yesterday complete, and Parquet files
    (question,) = re.findall(r"```sql\n(.*?)```", page("complete.md"), re.DOTALL)
    assert [(row["stream"], row["complete"]) for row in query(tmp_path, question)] == [(name, True) for name in sorted(streams)]
    if engine.program.name == "duckdb":
        everything, last_days = re.findall(r"```sh\n((?:duckdb|since).*?)```", page("recipes.md"), re.DOTALL)
        path = f"{engine.program.parent}:{os.environ['PATH']}"
        expected = [{"rows": len(now["alarms"]), "days": True}]
        # the last days, and all days, as if there were several files for one of them
        for recipe in (everything, last_days, last_days.replace("3 days", "9999 days")):
            subprocess.run(["sh", "-ec", recipe], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)
            assert query(tmp_path, f"SELECT count(*) AS rows, count(DISTINCT day) > 100 AS days FROM '{tmp_path}/alarms/*/*.parquet'") == expected
            for file in list(tmp_path.glob("alarms/*/*.parquet"))[:1] if recipe == last_days else []:
                shutil.copy(file, file.with_name("data_9.parquet"))
        assert query(tmp_path, f"FROM '{tmp_path}/assets.parquet' ORDER BY ALL") == query(tmp_path, "FROM assets ORDER BY ALL")

    # the line for a crontab, which has a bare environment
    if engine.program.name == "duckdb":
        (line,) = re.findall(r"^5 \* \* \* \* (.*tables.sql; })$", page("warehouse.md"), re.MULTILINE)
        line = line.replace("/srv/trailer-data", shlex.quote(str(tmp_path))).replace("./run.sh", f"./run.sh {PROGRAM}")
        line = line.replace("/usr/local/bin/duckdb", str(engine.program))
        bare = {name: os.environ[name] for name in ("HOME", "PATH", "SOURCE_TRAILER_DATA_CACHE")}
        change()
        done = subprocess.run(["/bin/sh", "-c", line], env=bare, cwd="/", capture_output=True, check=True)
        assert (done.stdout, done.stderr) == (b"", b"")
        for name, rows in truth().items():
            assert_rows(table(tmp_path, name), rows)

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


COMMANDS = [engine for engine in engines() if engine.program.name == "duckdb"]
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


def test_a_list_may_have_any_name_that_the_script_uses(tmp_path: Path) -> None:
    # DuckDB 1.4 itself fails if a table has the name of its own duckdb_tables
    names = sorted(set(re.findall(r"\b(?!duckdb_)[a-z][a-z0-9_]*\b", (DEPLOY / "tables.sql").read_text())) - {"assets", "alarms"})
    kinds = [{"paging": "cursor", "id_field": "id"}, {"paging": "cursor"}, {"paging": "offset", "id_field": "id"}]
    # each name with each kind
    for first in range(3):
        lists = [{"created_field": "at", **kinds[(first + place) % 3], "name": name} for place, name in enumerate(names)]
        folder = tmp_path / str(first)
        folder.mkdir()
        workplace(folder, {"lists": lists})
        for number in (1, 2):
            lines = ([status(name, "STARTED"), record(name, f'{{"id":"{number}"}}'), status(name, "COMPLETE")] for name in names)
            write(folder, number, *(line for part in lines for line in part))
            load(folder)
        counts = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM fleet.main.\"{name}\"" for name in names)
        found = {name: rows for name, rows in (row.values() for row in query(folder, counts))}
        assert found == {each["name"]: 1 if each["paging"] == "offset" else 2 for each in lists}


@pytest.mark.parametrize(
    "config",
    [
        '{"alarms": {"id_field": "id"}}',
        '\ufeff{"alarms": {"id_field": "id"}}\r\n',
        '{"alarms": {"id_field": "id"}, "assets": null, "lists": null}',
        '{"alarms": {"id_field": "id", "created_field": null}, "assets": "", "lists": ""}',
        '{"alarms": "", "lists": [{"name": "alarms", "paging": "cursor", "id_field": "id", "created_field": "createdDate", "page_size": ""}]}',
    ],
)
def test_what_is_empty_in_a_config_is_absent(tmp_path: Path, config: str) -> None:
    workplace(tmp_path, {})
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    write(tmp_path, 1, record("alarms", '{"id":"a","v":1}'), record("alarms", '{"id":"a","v":2}'))
    load(tmp_path)
    assert {name for name, *_ in columns(tmp_path)} == {"alarms"}
    assert query(tmp_path, "FROM alarms") == [{"createdDate": None, "id": "a", "v": 2}]
    (tmp_path / "config.json").write_text('{"lists": [{"name": "alarms", "paging": "cursor", "id_field": "", "created_field": "id"}]}')
    load(tmp_path)
    assert [row["v"] for row in query(tmp_path, "FROM alarms ORDER BY v")] == [1, 2]


def test_a_load_that_fails_leaves_the_tables(tmp_path: Path) -> None:
    workplace(tmp_path, ALARMS)
    write(tmp_path, 1, record("alarms", '{"id":"a"}'))
    load(tmp_path)
    write(tmp_path, 2, record("alarms", '{"id":"b"}'))
    config = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(config.replace("alarms", "lists"))
    assert run_script(tmp_path)[0] == 1
    assert query(tmp_path, "SELECT id FROM alarms") == [{"id": "a"}]
    (tmp_path / "config.json").write_text(config)
    load(tmp_path)
    assert query(tmp_path, "SELECT id FROM alarms ORDER BY id") == [{"id": "a"}, {"id": "b"}]
    for output in outputs(tmp_path):
        output.unlink()
    code, printed = run_script(tmp_path)
    assert code == 1
    assert "out-*.jsonl" in printed


def test_settings_of_the_user_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = [".changes on", ".echo on", ".headers on", ".mode markdown", ".nullvalue NULL", ".separator ;", ".timer on"]
    settings += ["SET default_order = 'DESC';", "SET default_null_order = 'nulls_first';", "SET preserve_insertion_order = false;"]
    (tmp_path / ".duckdbrc").write_text("\n".join(settings))
    monkeypatch.setenv("HOME", str(tmp_path))
    workplace(tmp_path, ASSETS)
    for number, ids in enumerate(["ab", "bc"]):
        rows = [record("assets", f'{{"assetId":"{name}","at":null,"n":{number}}}') for name in ids]
        write(tmp_path, number, status("assets", "STARTED"), *rows, status("assets", "COMPLETE"))
        assert run_script(tmp_path)[0] == 0
    assert [row["assetId"] for row in query(tmp_path, "FROM assets ORDER BY assetId")] == ["b", "c"]


def test_a_database_in_memory_names_no_output_that_may_be_deleted(tmp_path: Path) -> None:
    workplace(tmp_path, ALARMS)
    write(tmp_path, 1, record("alarms", '{"id":"a"}'))
    load(tmp_path)
    assert (tmp_path / "loaded.txt").read_text() == "out-20260101T000000Z.jsonl\n"
    write(tmp_path, 2, record("alarms", '{"id":"b"}'))
    for engine in COMMANDS:
        with open(tmp_path / "tables.sql") as script:
            done = subprocess.run([engine.program], stdin=script, cwd=tmp_path, capture_output=True, check=True, text=True)
        assert done.stdout.startswith("loaded.txt: ")
        assert (tmp_path / "loaded.txt").read_text() == ""
    load(tmp_path)
    assert len((tmp_path / "loaded.txt").read_text().split()) == 2


def test_only_names_of_run_sh_are_outputs(tmp_path: Path) -> None:
    workplace(tmp_path, ASSETS)

    def read(name: str, asset: str) -> None:
        lines = [status("assets", "STARTED"), record("assets", f'{{"assetId":"{asset}"}}'), status("assets", "COMPLETE")]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))

    def assets() -> list[str]:
        return [row["assetId"] for row in query(tmp_path, "FROM assets")]

    others = ["out-2.jsonl", "out-20260101T000000Z-copy.jsonl", "out-backup.jsonl"]
    for name in others:
        read(name, "old")
    code, printed = run_script(tmp_path)
    assert (code, "there is none" in printed) == (1, True)
    read("out-20260101T000000Z.jsonl", "new")
    for _ in range(2):
        code, printed = run_script(tmp_path)
        assert (code, [line.split(": ")[0] for line in printed.splitlines()]) == (0, others)
        assert assets() == ["new"]
    assert (tmp_path / "loaded.txt").read_text() == "out-20260101T000000Z.jsonl\n"
    for name in others:
        (tmp_path / name).unlink()
    load(tmp_path)


def test_what_earlier_versions_loaded_from_files_with_other_names_comes_first(tmp_path: Path) -> None:
    workplace(tmp_path, {**ASSETS, **ALARMS})

    def read(day: int, *ids: str) -> None:
        rows = [record("alarms", f'{{"id":"{alarm}"}}') for alarm in ids]
        asset = record("assets", f'{{"assetId":"{day}"}}')
        write(tmp_path, day, status("assets", "STARTED"), asset, status("assets", "COMPLETE"), *rows)

    def ids(table: str) -> list[str]:
        key = "assetId" if table == "assets" else "id"
        return [row[key] for row in query(tmp_path, f"FROM {table} ORDER BY {key}")]

    read(1, "a", "b")
    load(tmp_path)
    # as if its output, which exists no more, had another name, which sorted after those of run.sh
    with duckdb.connect(tmp_path / "fleet.duckdb") as database:
        for table in ("messages", "files"):
            database.execute(f"UPDATE raw.{table} SET file = 'out-import.jsonl'")
        # the rows of an earlier read of a list by offset are gone
        database.execute("INSERT INTO raw.files SELECT 'out-20260102T000000Z.jsonl', 1")
    outputs(tmp_path)[0].unlink()
    read(2, "b", "c")
    load(tmp_path)
    assert (ids("assets"), ids("alarms")) == (["2"], ["a", "b", "c"])
    assert (tmp_path / "loaded.txt").read_text() == "out-20260102T000000Z.jsonl\n"
    load(tmp_path)
    read(3)
    load(tmp_path)
    assert (ids("assets"), ids("alarms")) == (["3"], ["a", "b", "c"])


@pytest.mark.parametrize("key", ["id", ""])
@pytest.mark.parametrize("order", [[1, 2, 3], [3, 1, 2], [2, 3, 1]])
def test_outputs_are_loaded_once_in_any_order(tmp_path: Path, order: list[int], key: str) -> None:
    workplace(tmp_path, {"alarms": {**ALARMS["alarms"], "id_field": key}})
    contents = {
        1: ['{"id":"a","v":1}', '{"id":"b","v":1}', '{"v":5}'],
        2: ['{"id":"a","v":2}', '{"id":"c","v":1}', '{"v":5}'],
        3: ['{"id":"a","v":1}', '{"id":"c","v":1}', '{"v":6}'],
    }
    for number in order:
        write(tmp_path, number, *(record("alarms", row) for row in contents[number]))
        load(tmp_path)
    found = [tuple(row.values()) for row in query(tmp_path, "SELECT id, v FROM alarms ORDER BY ALL")]
    others = [("b", 1), ("c", 1), (None, 5), (None, 6)]
    assert found == ([("a", 1), *others] if key else [("a", 1), ("a", 2), *others])
    # one that has grown
    write(tmp_path, 2, *(record("alarms", row) for row in [*contents[2], '{"id":"d","v":1.5}']))
    load(tmp_path)
    assert len(query(tmp_path, "FROM alarms")) == len(found) + 1
    assert (tmp_path / "loaded.txt").read_text().split() == [output.name for output in outputs(tmp_path)]


def test_rows_are_replaced_by_a_key_whose_name_others_have_too(tmp_path: Path) -> None:
    workplace(tmp_path, {"alarms": {**ALARMS["alarms"], "id_field": "Id's"}})
    write(tmp_path, 1, *(record("alarms", f'{{"id\'s":1,"Id\'s":"{key}","v":1}}') for key in "ab"))
    load(tmp_path)
    write(tmp_path, 2, record("alarms", '{"id\'s":1,"Id\'s":"b","v":2}'))
    load(tmp_path)
    assert [tuple(row.values()) for row in query(tmp_path, "FROM alarms ORDER BY ALL")] == [("a", None, 1, 1), ("b", None, 1, 2)]


def counted(stream: str, rows: int, value: str = "{}") -> str:
    return state(stream, value).replace('"recordCount":0', f'"recordCount":{rows}')


def test_rows_that_an_output_has_lost_are_told(tmp_path: Path) -> None:
    workplace(tmp_path, ALARMS)
    rows = [record("alarms", f'{{"id":"{number}","text":"{"x" * 100}"}}') for number in range(30)]
    whole = [status("alarms", "STARTED"), *rows[:10], counted("alarms", 10, '{"n":1}'), *rows[10:], counted("alarms", 20, '{"n":2}')]
    write(tmp_path, 1, *whole)
    # as terminals end lines
    text = outputs(tmp_path)[0].read_bytes()
    outputs(tmp_path)[0].write_bytes(text.replace(b"\n", b"\r\n"))
    # it begins with states that count rows of the output before, in lines that run.sh has ended
    write(tmp_path, 2, counted("alarms", 20, '{"n":2}'), *(f"{line}\r" for line in (status("alarms", "STARTED"), counted("alarms", 0, '{"n":2}'))))
    load(tmp_path)
    assert len(query(tmp_path, "FROM alarms")) == 30

    # zero bytes
    hole = bytearray(text)
    hole[3500:4000] = bytes(500)
    outputs(tmp_path)[0].write_bytes(hole)
    code, printed = run_script(tmp_path)
    assert code == 0
    first, second = outputs(tmp_path)
    assert re.findall(rf"^{first.name}: (\d) rows of alarms are missing", printed, re.MULTILINE) == ["4"]
    assert f"{first.name}: 1 lines are damaged" in printed
    assert second.name not in printed
    assert len(query(tmp_path, "FROM alarms")) == 26
    load(tmp_path)

    # an output that was cut, and was whole when the next one was written
    first.write_bytes(text[: text.index(b'{"n":2}')])
    second.write_bytes(second.read_bytes().replace(b"\n", b"\n\n"))
    code, printed = run_script(tmp_path)
    assert code == 0
    assert f"{second.name}: it continues from a state of alarms that no output has" in printed
    # a line that is not UTF-8
    first.write_bytes(text.replace(b"xxx", b"\xff", 1))
    assert f"{first.name}: 1 lines cannot be read" in run_script(tmp_path)[1]


def test_a_problem_is_gone_once_its_rows_are_read_again(tmp_path: Path) -> None:
    drivers = {"name": "drivers", "paging": "offset", "id_field": "driverId"}
    workplace(tmp_path, {**ALARMS, "lists": [drivers]})

    def output(day: int, given: list[str], *rows: str) -> None:
        starts = [status(stream, "STARTED") for stream in ("alarms", "drivers")]
        ends = [counted(stream, sum(stream in row for row in rows), f'{{"n":{day}}}') for stream in ("alarms", "drivers")]
        write(tmp_path, day, *given, *starts, *rows, *ends, *(status(stream, "COMPLETE") for stream in ("alarms", "drivers")))

    def after(day: int) -> list[str]:
        return [counted(stream, 1, f'{{"n":{day}}}') for stream in ("alarms", "drivers")]

    def problems() -> list[tuple[str, ...]]:
        assert run_script(tmp_path)[0] == 0
        return [tuple(row.values()) for row in query(tmp_path, "SELECT file[5:12], stream FROM raw.problems ORDER BY ALL")]

    def punch(day: int) -> None:
        file = tmp_path / f"out-2026010{day}T000000Z.jsonl"
        # another size, so that it is loaded again
        file.write_bytes(re.sub(rb'"id":"\w"', lambda match: bytes(len(match[0]) + 1), file.read_bytes()))

    row, other = record("alarms", '{"id":"a"}'), record("drivers", '{"driverId":"d"}')
    output(1, [], row, other)
    output(2, after(1), row, other)
    punch(2)
    lacking = [("20260102", "alarms"), ("20260102", "alarms"), ("20260102", "drivers")]
    assert problems() == lacking
    # the next read begins after the rows that are missing; the list by offset is read anew
    output(3, after(2), other)
    assert problems() == lacking[:2]
    # one that begins where the damaged output began
    output(4, after(1), row)
    assert problems() == []
    # one that begins without a state, even if it has not ended
    punch(4)
    assert [file for file, _ in problems()] == ["20260104", "20260104", "20260104"]
    output(5, after(4), other)
    assert problems() == [("20260104", "alarms"), ("20260104", "alarms")]
    write(tmp_path, 6, status("alarms", "STARTED"))
    assert problems() == []


def test_a_read_by_offset_that_lacks_rows_replaces_no_table(tmp_path: Path) -> None:
    workplace(tmp_path, ASSETS)

    def output(day: int, *ids: str) -> None:
        rows = (record("assets", f'{{"assetId":"{asset}"}}') for asset in ids)
        write(tmp_path, day, status("assets", "STARTED"), *rows, counted("assets", 2, f'{{"n":{day}}}'), status("assets", "COMPLETE"))

    def assets() -> list[str]:
        return [row["assetId"] for row in query(tmp_path, "FROM assets ORDER BY ALL")]

    output(1, "a", "b")
    load(tmp_path)
    output(2, "a")
    assert run_script(tmp_path)[1].startswith("out-20260102T000000Z.jsonl: 1 rows of assets are missing, which its states count.")
    assert assets() == ["a", "b"]
    output(3, "a", "c")
    load(tmp_path)
    assert (assets(), query(tmp_path, "FROM raw.problems")) == (["a", "c"], [])


def test_what_a_range_lacks_is_not_in_other_ranges(tmp_path: Path) -> None:
    workplace(tmp_path, ALARMS)

    def output(name: str, *lines: str) -> None:
        (tmp_path / f"out-{name}Z.jsonl").write_text("".join(f"{line}\n" for line in [status("alarms", "STARTED"), *lines]))

    def problems() -> list[str]:
        assert run_script(tmp_path)[0] == 0
        return [row["problem"] for row in query(tmp_path, "SELECT problem FROM raw.problems ORDER BY ALL")]

    row, end = record("alarms", '{"id":"a"}'), status("alarms", "COMPLETE")
    first, second = (counted("alarms", 1, f'{{"n":{number}}}') for number in (1, 2))
    missing = "1 rows of alarms are missing, which its states count"
    stopped = "it ends before its range of alarms does, so that must be run again"
    output("00000000T000000", first, end)
    output("00000001T000000", row, first)
    output("00000002T000000", row, second, end)
    assert problems() == [missing, stopped]
    # the range goes on from its own state
    (tmp_path / "out-00000001T000001Z.jsonl").write_text("\n".join([first, status("alarms", "STARTED"), row, second, end, ""]))
    assert problems() == [missing]
    # a regular run goes on after the last range, and a full one has all rows
    (tmp_path / "out-20260101T000000Z.jsonl").write_text("\n".join([second, status("alarms", "STARTED"), row, first, end, ""]))
    assert problems() == [missing]
    output("20260102T000000", row, first, end)
    assert problems() == []


def test_yesterday_is_complete_by_the_time_of_the_read_not_by_the_name_of_its_output(tmp_path: Path) -> None:
    workplace(tmp_path, ALARMS)
    (question,) = re.findall(r"```sql\n(.*?)```", page("complete.md"), re.DOTALL)

    def read(name: str, days: int) -> None:
        emitted = str(int((time.time() + days * 86_400) * 1000))
        lines = [status("alarms", kind).replace("1795655875139", emitted) for kind in ("STARTED", "COMPLETE")]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
        load(tmp_path)

    def answer() -> list[bool]:
        return [row["complete"] for row in query(tmp_path, question)]

    # the clock of one run was a day ahead, and the names of later ones follow
    read("out-20991231T235959Z.jsonl", 1)
    assert answer() == [True]
    read("out-20991231T235960Z.jsonl", -1)
    assert answer() == [False]
    read("out-20991231T235961Z.jsonl", 0)
    assert answer() == [time.gmtime().tm_hour > 0 or time.gmtime().tm_min >= 5]


def test_rows_of_a_hundred_kilobytes_are_loaded(tmp_path: Path) -> None:
    workplace(tmp_path, ALARMS)
    text = "x" * 100_000
    write(tmp_path, 1, *(record("alarms", f'{{"id":"{number}","text":"{text}"}}') for number in range(3000)))
    load(tmp_path)
    assert query(tmp_path, "SELECT count(*) AS rows, min(len(text)) AS length FROM alarms") == [{"rows": 3000, "length": 100_000}]


def test_ten_thousand_outputs_are_loaded_at_once(tmp_path: Path) -> None:
    workplace(tmp_path, ALARMS)
    for number in range(10_000):
        lines = [status("alarms", "STARTED"), record("alarms", f'{{"id":"{number}"}}'), counted("alarms", 1, f'{{"n":{number}}}')]
        (tmp_path / f"out-2026{number:04}T000000Z.jsonl").write_text("".join(f"{line}\n" for line in lines))
    load(tmp_path)
    assert query(tmp_path, "SELECT count(*) AS rows FROM alarms") == [{"rows": 10_000}]
    load(tmp_path)


# runs a command and prints its peak memory in KiB; a child of this large process would begin with the peak of its parent
MEASURED = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(code)"
)


def wide_rows() -> list[str]:
    return [json.dumps(row, default=str) for row in World(assets=0, alarms=5000).truth("alarms")]


def narrow_rows() -> list[str]:
    return [f'{{"alarmId": "{number}","createdDate":"2026-01-31T00:00:00Z","text":"{"x" * 200}","speed":{number / 10}}}' for number in range(5000)]


@pytest.mark.parametrize(
    ("engine", "rows"), [*((engine, wide_rows) for engine in COMMANDS), (COMMANDS[0], narrow_rows)], ids=lambda value: getattr(value, "__name__", str(value))
)
def test_one_gigabyte_is_loaded_with_less_than_512_mib(tmp_path: Path, engine: Engine, rows: Callable[[], list[str]]) -> None:
    workplace(tmp_path, {"alarms": {**ALARMS["alarms"], "id_field": "alarmId"}})
    texts = rows()
    total = 0
    with open(tmp_path / "out-20260101T000000Z.jsonl", "w") as output:
        while output.tell() < 1_000_000_000:
            for text in texts:
                output.write(record("alarms", text.replace('"alarmId": "', f'"alarmId": "{total}-', 1)) + "\n")
                total += 1
        output.write(counted("alarms", total, '{"n":1}') + "\n")
    with open(tmp_path / "tables.sql") as script:
        command = [sys.executable, "-c", MEASURED, str(engine.program), "fleet.duckdb"]
        done = subprocess.run(command, stdin=script, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=True)
    peak = int(done.stderr.splitlines()[-1])
    assert peak < 512 * 1024, done.stderr
    assert query(tmp_path, "SELECT count(*) AS rows, count(DISTINCT alarmId) AS ids FROM alarms") == [{"rows": total, "ids": total}]
