"""Runs the recipes of the docs."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from fixed_lists import fixed_lists
from program import cache_in, run_program, source_of
from tables import table_rows

REPOSITORY = Path(__file__).parents[3]
PAGE = (REPOSITORY / "docs/recipes.md").read_text()


def block(language: str) -> str:
    """Returns the only code block of the page in a language."""
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(text)


def alarm(number: int, created: datetime, status: str) -> str:
    text = created.strftime("%Y-%m-%dT%H:%M:%SZ")
    return f'{{"alarmId":"{number}","createdDate":"{text}","status":"{status}"}}'


def test_saved_output_into_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        '{"alarmId":"a","createdDate":"2026-01-01T00:00:00Z","sequence":1234567890123456789012345,"value":1.10}',
        '{"alarmId":"b","createdDate":"2026-01-02T00:00:00Z","sequence":-1,"value":0.12345678901234567891}',
        '{"alarmId":"c\\\\x01,\\"\\u2028","createdDate":"2026-01-03T00:00:00Z","sequence":null,"note":"\\ud83d\\ude00"}',
        '{"alarmId":"d","createdDate":"2026-01-04T00:00:00Z","sequence":4,"note":"\\ud83d \\ud83d\\ude00","o":{"a":{}}}',
    ]
    with fixed_lists(['{"assetId":"x"}'], rows) as config:
        lines = run_program("read", config=config).lines
    # a truncated line that ends like a complete one
    lines.append(next(line for line in lines if '"alarmId":"d"' in line)[:-3])
    (tmp_path / "out.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as database:
        database.execute((REPOSITORY / "deploy/duckdb.sql").read_text())
        found = database.execute("SELECT * FROM alarms ORDER BY id").fetchall()
        assert database.execute("SELECT data FROM saved WHERE stream = 'assets'").fetchall() == [('{"assetId":"x"}',)]
    assert [text for *_, text in found] == rows
    assert [tuple(values) for *values, _ in found] == [
        ("a", 1234567890123456789012345, Decimal("1.10")),
        ("b", -1, Decimal("0.12345678901234567891")),
        ('c\\x01,"\u2028', None, None),
        ("d", 4, None),
    ]


def test_alarms_that_change_after_creation(tmp_path: Path) -> None:
    now = datetime.now(timezone.utc)
    wanted = json.loads(block("json"))["alarms"]
    days = wanted["lookback_seconds"] // 86_400
    ages = [timedelta(days=2 * days - 1), timedelta(days=days - 1), timedelta(hours=1), timedelta(seconds=1)]
    alarms = [alarm(number, now - age, "open") for number, age in enumerate(ages)]
    with fixed_lists([], alarms) as config:
        config["alarms"] = {**config["alarms"], **wanted, "base_url": config["alarms"]["base_url"]}

        def load() -> int:
            return int(source_of(config).read(cache=cache_in(tmp_path)).processed_records)

        assert [load(), load()] == [4, 0]
        for number in (0, 1, 2):
            alarms[number] = alarm(number, now - ages[number], "closed")
        # the oldest is outside the lookback, so its change is not read
        assert load() == 2
    statuses = {row["alarmid"]: row["status"] for row in table_rows(cache_in(tmp_path), "alarms")[1]}
    assert statuses == {"0": "open", "1": "closed", "2": "closed", "3": "open"}
