"""
Loads rows into DuckDB with PyAirbyte. Every cell equals what the API sent, or a WARN of the read names the field: for types that
change at the ends of a list, where it is sampled, and in the middle, where it is not.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import airbyte as ab
import pytest

from fixed_lists import fixed_lists
from program import cache_in, catalog_for, run_program, source_of
from sandbox import exact_json
from tables import KEYS, altered_fields, table_rows

ROWS = 3000

# The usual value of each field (None: absent), and the values of some rows.
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
    # not in the sample
    "decimalInMiddle": ("7", {1500: "400.5"}),
    "onlyInMiddle": (None, {1500: '"here"'}),
    "offsetInMiddle": ('"2026-01-31T10:00:00Z"', {1500: '"2026-01-31T10:00:00+02:00"'}),
    "nanosInMiddle": ('"2026-01-31T10:00:00Z"', {1500: '"2026-01-31T10:00:00.123456789Z"'}),
    "numberInMiddle": ("true", {1500: "2"}),
    # altered by this loader whatever the schema
    "beyondDouble": ("1.5", {2999: "1E400"}),
    "digits17": ("1.5", {1500: "0.12345678901234567"}),
    "fineDecimal": ("1.5", {2: "1e-10"}),
    "greatDecimal": ("1.5", {2: "9999999999999.99"}),
    "insideObject": ('{"a":1.5}', {1500: '{"a":[0.12345678901234567]}'}),
}

# The fields that the loader alters, which the read must name.
UNSAMPLED = {"decimalInMiddle", "onlyInMiddle", "offsetInMiddle", "nanosInMiddle", "numberInMiddle"}
ALTERED = {"beyondDouble", "digits17", "fineDecimal", "greatDecimal", "insideObject"}


def row_text(stream: str, number: int, more: dict[str, str]) -> str:
    """Returns the text of a row of assets; alarms are in reverse order."""
    created = datetime(2026, 1, 1) + timedelta(minutes=ROWS - number)
    members = {KEYS[stream]: f'"{number}"', "createdDate": f'"{created.isoformat()}Z"'}
    fields = {name: others.get(number, usual) for name, (usual, others) in FIELDS.items()}
    written = [f'"{name}":{text}' for name, text in {**members, **fields, **more}.items() if text is not None]
    return "{" + ",".join(written) + "}"


def lists_with(more: dict[int, dict[str, str]]) -> dict[str, list[str]]:
    """Returns both lists, with additional members of some rows."""
    lists = {stream: [row_text(stream, number, more.get(number, {})) for number in range(ROWS)] for stream in KEYS}
    return {"assets": lists["assets"], "alarms": lists["alarms"][::-1]}


def load(folder: Path, config: dict[str, Any]) -> ab.DuckDBCache:
    cache = cache_in(folder)
    source_of(config).read(cache=cache)
    return cache


def warnings(config: dict[str, Any]) -> list[str]:
    """Returns the WARNs of a read with a catalog."""
    done = run_program("read", config=config, catalog=catalog_for(config, "full_refresh"))
    assert done.code == 0
    return done.warnings()


def named(lines: list[str], stream: str) -> set[str]:
    """Returns the fields named by the WARNs of a stream, which also name a key of the config."""
    names = {name for line in lines if line.startswith(f"{stream}: ") for name in re.findall(r'"(\w+)" ', line)}
    return names - {"sample_rows"}


def test_every_cell_is_exact_or_a_warning_names_the_field_and_the_fix(tmp_path: Path) -> None:
    lists = lists_with({})
    with fixed_lists(**lists) as config:
        lines = warnings(config)
        (rows,) = {match for line in lines for match in re.findall(r'set "sample_rows" to (\d+) or more', line)}
        usual = load(tmp_path / "usual", config)
        fixed = load(tmp_path / "fixed", {**config, "sample_rows": int(rows)})
    for stream, texts in lists.items():
        truth = [exact_json(text) for text in texts]
        assert altered_fields(usual, stream, truth) == UNSAMPLED | ALTERED
        # no WARN about exact fields
        assert named(lines, stream) == UNSAMPLED | ALTERED
        assert altered_fields(fixed, stream, truth) == ALTERED


def test_a_row_with_half_a_surrogate_pair_is_lost_and_named(tmp_path: Path) -> None:
    with fixed_lists(**lists_with({1500: {"note": '"\\ud83d"'}, 2: {"note": '"n"'}})) as config:
        cache = load(tmp_path, config)
        lines = warnings(config)
    for stream, key in KEYS.items():
        loaded = {row[key.lower()] for row in table_rows(cache, stream)[1]}
        assert {str(number) for number in range(ROWS)} - loaded == {"1500"}
        assert any(f'the row whose "{key}" is "1500" has an unpaired surrogate in "note"' in line for line in lines)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("utcTime", '"never"', "holds a string that is not a time"),
        ("utcTime", '"2026-02-30T10:00:00Z"', "holds a date or time that does not exist"),
        ("utcTime", '"2026-01-31T23:59:60Z"', "holds a date or time that does not exist"),
        ("decimals", '"x"', "holds a string"),
        ("digits19", "9" * 20, "holds an integer beyond 64 bits"),
        ("", "null", "contains no ASCII letter or digit"),
        ("%", "1", "contains no ASCII letter or digit"),
    ],
)
def test_fields_that_fail_the_load_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    with fixed_lists(**lists_with({1500: {name: text}})) as config:
        with pytest.raises(Exception):  # noqa: B017, PT011 - by the loader or its database
            load(tmp_path, config)
        assert any(f'"{name}" ' in line and message in line for line in warnings(config))


@pytest.mark.parametrize(
    ("more", "column", "cell", "message"),
    [
        ({"AssetID": '"other"'}, "assetid", "other", '"assetId" (the key) and "AssetID" become one column'),
        ({"Digits-19": "1"}, "digits_19", None, None),
        ({"DIGITS19": "null"}, "digits19", None, '"digits19" and "DIGITS19" become one column'),
        ({"_Airbyte_Meta": "7"}, "assetid", "1500", '"_Airbyte_Meta" is reserved by loaders'),
    ],
)
def test_overwritten_columns_are_named(
    tmp_path: Path, more: dict[str, str], column: str, cell: object, message: str | None
) -> None:
    with fixed_lists(**lists_with({1500: more})) as config:
        cache = load(tmp_path, config)
        found = [line for line in warnings(config) if "overwrite" in line and line.startswith("assets")]
    names, rows = table_rows(cache, "assets")
    assert message is None or any(message in line for line in found)
    if message is None:
        assert (found, column in names) == ([], False)
    else:
        assert cell in [row[column] for row in rows]
