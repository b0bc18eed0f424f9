"""Compares tables of a PyAirbyte cache with the sandbox's truth: row by row, column by column, type by type."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Any

from airbyte.caches import DuckDBCache

from sandbox import exact_json

# What a column must be in DuckDB for what the schema says of the field. PyAirbyte asks for a timestamp with a zone, of
# which its DuckDB dialect makes one without: the column holds the instant in UTC.
COLUMN_TYPES = {
    "string": "VARCHAR",
    "integer": "BIGINT",
    "number": "DECIMAL(38,9)",
    "boolean": "BOOLEAN",
    "object": "JSON",
    "array": "JSON",
    "date-time": "TIMESTAMP",
}

# How a column is read so that nothing is rounded on the way: times as microseconds since 1970, JSON as its text.
READ_AS = {"TIMESTAMP": "epoch_us({0})", "JSON": "CAST({0} AS VARCHAR)"}


def field_type(schema: dict[str, Any]) -> str:
    """The one type of a field: `date-time` for a text with that format, else what is there beside `null`."""
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kinds = [kind for kind in types if kind != "null"]
    assert len(kinds) == 1, f"a field of several types: {schema}"
    return "date-time" if schema.get("format") == "date-time" else kinds[0]


def table_rows(cache: DuckDBCache, stream: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The column types of a table, and its rows, read as READ_AS says."""
    table = f"{cache.schema_name}.{stream}"
    with cache.get_sql_engine().connect() as connection:
        described = connection.exec_driver_sql(f"DESCRIBE {table}").fetchall()
        types = {name: kind for name, kind, *_ in described if not name.startswith("_airbyte_")}
        columns = ", ".join(
            READ_AS.get(kind, "{0}").format(name) + f" AS {name}" for name, kind in types.items()
        )
        rows = connection.exec_driver_sql(f"SELECT {columns} FROM {table}").mappings().all()
    return types, [dict(row) for row in rows]


def instant(text: str) -> int:
    """Microseconds since 1970 of a date-time whose fraction has at most six digits."""
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int(moment.replace(microsecond=0).timestamp()) * 1_000_000 + moment.microsecond


def same(left: Any, right: Any) -> bool:
    """Equal values of equal types; a whole number may be an int on one side and a Decimal on the other."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    numbers = (int, Decimal)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, numbers) and isinstance(right, numbers):
        return Decimal(left) == Decimal(right)
    return type(left) is type(right) and left == right


def is_kept(cell: Any, kind: str, value: Any) -> bool:
    """True if a cell holds what the API sent, in the column's own way of writing it."""
    if cell is None or value is None:
        return cell is None and value is None
    if kind == "TIMESTAMP":
        is_utc = isinstance(value, str) and re.search(r"(Z|[+-]00:00)$", value) is not None
        return is_utc and len(value) <= 27 and cell == instant(value)
    if kind == "JSON":
        return same(exact_json(cell), value)
    if kind == "VARCHAR" and isinstance(value, str):
        return cell == value
    if kind == "VARCHAR" and isinstance(value, (bool, dict, list)):
        return same(exact_json(cell), value)
    if kind == "VARCHAR":
        return Decimal(cell) == Decimal(value)
    if isinstance(value, bool) or isinstance(cell, bool):
        return cell is value
    return isinstance(value, (int, Decimal)) and Decimal(cell) == Decimal(value)


def assert_table_is_truth(
    cache: DuckDBCache, stream: str, key: str, schema: dict[str, Any], truth: list[dict[str, Any]]
) -> int:
    """
    Each row of the truth is in the table once and nothing else is, each field equal in value and of the type that the
    schema gives it. Returns the number of values compared.
    """
    kinds = {name: field_type(field) for name, field in schema["properties"].items()}
    types, rows = table_rows(cache, stream)
    assert types == {name.lower(): COLUMN_TYPES[kind] for name, kind in kinds.items()}
    undeclared = {name for row in truth for name in row} - kinds.keys()
    assert not undeclared, f"fields that the schema does not name: {undeclared}"
    by_key = {row[key.lower()]: row for row in rows}
    assert len(rows) == len(by_key) == len(truth), "rows lost or doubled"
    for wanted in truth:
        for name, kind in kinds.items():
            cell, value = by_key[wanted[key]][name.lower()], wanted.get(name)
            assert kind != "string" or isinstance(value, (str, type(None))), f"{stream}.{name} is no text: {value!r}"
            assert is_kept(cell, types[name.lower()], value), f"{stream}.{name} of {wanted[key]}: {cell!r} for {value!r}"
    return len(truth) * len(kinds)
