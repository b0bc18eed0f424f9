"""Runs the recipes of the docs."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

from fixed_lists import fixed_lists
from program import cache_in, source_of
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
