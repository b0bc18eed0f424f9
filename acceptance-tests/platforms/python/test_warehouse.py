"""
What stands in the cells of DuckDB, loaded by PyAirbyte, is what the API sent, or a WARN of the read names the field: for
lists whose kinds change at either end, where the schema is found, and in the middle, where nobody looked.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import airbyte as ab
import pytest

from fixed_lists import FixedLists
from program import cache_in, catalog_for, run_program, source_of
from sandbox import exact_json
from tables import KEYS, altered_fields, table_rows

ROWS = 3000

# Each field: what it holds usually (None: nothing), and what some rows hold instead.
FIELDS: dict[str, tuple[str | None, dict[int, str]]] = {
    "decimalAtHead": ("7", {10: "400.5"}),
    "decimalAtTail": ("7", {2990: "400.5"}),
    "booleanThenNumber": ("true", {2990: "2", 2991: "2.50"}),
    "timeThenWords": ('"2026-01-31T10:00:00Z"', {5: '"never"'}),
    "utcTime": ('"2026-01-31T10:00:00.125Z"', {7: '"2026-01-31T10:00:00+00:00"', 8: "null"}),
    "offsetTime": ('"2026-01-31T10:00:00Z"', {2999: '"2026-01-31T10:00:00+02:00"'}),
    "nanoTime": ('"2026-01-31T10:00:00.123456789Z"', {}),
    "onlyNew": (None, {3: '"new"'}),
    "onlyOld": (None, {2997: "12.5"}),
    "digits19": ("9007199254740993123", {}),
    "digits25": ("12", {2999: "1234567890123456789012345"}),
    "digits30": ("12", {2999: "123456789012345678901234567890"}),
    "decimals": ("1.10", {4: "-0.0", 5: "1E-7", 6: "0.123456789", 7: "899999.999999999", 8: "12345678.5"}),
    "fineText": ("1e-10", {9: '"n/a"'}),
    "emptyObject": ("{}", {}),
    "nested": ('{"a":1,"b":[1.10,{}]}', {2999: '{"a":"x","c":[12345678901234567890123]}', 11: "{}"}),
    "list": ("[]", {11: '[1,"x",null,{"a":true}]'}),
    "objectThenText": ('{"a":1}', {2999: '"none"'}),
    "escapes": ('"t\\u00e4\\ud83d\\ude00\\n\\"\\u0007"', {}),
    # what nobody can see at the ends
    "decimalInMiddle": ("7", {1500: "400.5"}),
    "onlyInMiddle": (None, {1500: '"here"'}),
    "offsetInMiddle": ('"2026-01-31T10:00:00Z"', {1500: '"2026-01-31T10:00:00+02:00"'}),
    "nanosInMiddle": ('"2026-01-31T10:00:00Z"', {1500: '"2026-01-31T10:00:00.123456789Z"'}),
    "numberInMiddle": ("true", {1500: "2"}),
    # what this loader cannot keep, whatever is declared
    "beyondDouble": ("1.5", {2999: "1E400"}),
    "digits17": ("1.5", {1500: "0.12345678901234567"}),
    "fineDecimal": ("1.5", {2: "1e-10"}),
    "greatDecimal": ("1.5", {2: "9999999999999.99"}),
    "insideObject": ('{"a":1.5}', {1500: '{"a":[0.12345678901234567]}'}),
}

# The fields that the loader alters, each of which the read must name: no others may differ.
SAMPLED_AWAY = {"decimalInMiddle", "onlyInMiddle", "offsetInMiddle", "nanosInMiddle", "numberInMiddle"}
UNKEPT = {"beyondDouble", "digits17", "fineDecimal", "greatDecimal", "insideObject"}


def row_text(stream: str, number: int, more: dict[str, str]) -> str:
    """The text of the row at a place of the list of assets; alarms have the same the other way round."""
    created = datetime(2026, 1, 1) + timedelta(minutes=ROWS - number)
    members = {KEYS[stream]: f'"{number}"', "createdDate": f'"{created.isoformat()}Z"'}
    for name, (usual, others) in FIELDS.items():
        text = others.get(number, usual)
        if text is not None:
            members[name] = text
    return "{" + ",".join(f'"{name}":{text}' for name, text in {**members, **more}.items()) + "}"


def lists_of(more: dict[int, dict[str, str]]) -> tuple[list[str], list[str]]:
    assets = [row_text("assets", number, more.get(number, {})) for number in range(ROWS)]
    alarms = [row_text("alarms", number, more.get(number, {})) for number in reversed(range(ROWS))]
    return assets, alarms


def load(folder: Path, config: dict[str, Any]) -> ab.DuckDBCache:
    """The cache behind a read of both lists."""
    cache = cache_in(folder)
    source_of(config).read(cache=cache)
    return cache


def warnings(server: FixedLists) -> list[str]:
    """The WARNs of a read with the catalog that a platform hands over."""
    done = run_program("read", config=server.config(), catalog=catalog_for(server.config(), "full_refresh"))
    assert done.code == 0
    return done.warnings()


def named(words: list[str], stream: str) -> set[str]:
    """The fields that WARNs of a stream name."""
    return {name for line in words if line.startswith(f"{stream}: ") for name in re.findall(r'"(\w+)" ', line)}


def altered(cache: ab.DuckDBCache, server: FixedLists) -> dict[str, set[str]]:
    """By stream the fields that the loader has altered."""
    return {stream: altered_fields(cache, stream, list(map(exact_json, server.rows[stream]))) for stream in KEYS}


def test_every_cell_is_what_the_api_sent_or_a_warning_names_the_field(tmp_path: Path) -> None:
    with FixedLists(*lists_of({})) as server:
        cache = load(tmp_path, server.config())
        words = warnings(server)
        assert altered(cache, server) == dict.fromkeys(KEYS, SAMPLED_AWAY | UNKEPT)
        # and no WARN about fields that are kept
        assert {stream: named(words, stream) for stream in KEYS} == altered(cache, server)


def test_the_cure_in_the_warning_works(tmp_path: Path) -> None:
    with FixedLists(*lists_of({})) as server:
        words = warnings(server)
        (rows,) = {match for line in words for match in re.findall(r"set sample_rows to (\d+) or more", line)}
        cache = load(tmp_path, {**server.config(), "sample_rows": int(rows)})
        assert altered(cache, server) == dict.fromkeys(KEYS, UNKEPT)


def test_a_row_with_half_a_surrogate_pair_is_lost_and_named(tmp_path: Path) -> None:
    with FixedLists(*lists_of({1500: {"note": '"\\ud83d"'}, 2: {"note": '"n"'}})) as server:
        cache = load(tmp_path, server.config())
        words = warnings(server)
    for stream, key in KEYS.items():
        loaded = {row[key.lower()] for row in table_rows(cache, stream)[1]}
        assert {str(number) for number in range(ROWS)} - loaded == {"1500"}
        assert any(f'the row with {key} "1500" has half of a surrogate pair in "note"' in line for line in words)


def test_words_among_times_that_nobody_saw_fail_the_load_and_are_named(tmp_path: Path) -> None:
    with FixedLists(*lists_of({1500: {"utcTime": '"never"'}})) as server:
        with pytest.raises(Exception, match="never"):  # noqa: B017 - of the database
            load(tmp_path, server.config())
        assert "utcTime" in named(warnings(server), "assets")
