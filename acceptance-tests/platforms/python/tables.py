"""Compares tables of a PyAirbyte cache with rows of the API: row by row, column by column, type by type."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Any

from airbyte.caches import DuckDBCache

from sandbox import exact_json

KEYS = {"assets": "assetId", "alarms": "alarmId"}
# and of lists that the connector knows from its config alone
ALL_KEYS = {**KEYS, "drivers": "driverId", "trips": "tripId"}

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


def table_rows(cache: DuckDBCache, stream: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The column types of a table, and its rows: times as naive datetimes, JSON as its text."""
    table = f"{cache.schema_name}.{stream}"
    with cache.get_sql_engine().connect() as connection:
        described = connection.exec_driver_sql(f"DESCRIBE {table}").fetchall()
        types = {name: kind for name, kind, *_ in described if not name.startswith("_airbyte_")}
        read_as = {"JSON": "CAST({0} AS VARCHAR) AS {0}"}
        columns = ", ".join(read_as.get(kind, "{0}").format(name) for name, kind in types.items())
        rows = connection.exec_driver_sql(f"SELECT {columns} FROM {table}").mappings().all()
    return types, [dict(row) for row in rows]


def altered_fields(cache: DuckDBCache, stream: str, truth: list[dict[str, Any]]) -> set[str]:
    """
    The fields of which at least one cell is not what the API sent. Each row of the truth must be in the table once, and
    nothing else.
    """
    types, rows = table_rows(cache, stream)
    key = ALL_KEYS[stream]
    cells = {row[key.lower()]: row for row in rows}
    assert len(rows) == len(truth) and cells.keys() == {row[key] for row in truth}, "rows lost or doubled"
    names = {name.lower(): name for row in truth for name in row}
    return {
        names.get(column, column)
        for column in types.keys() | names.keys()
        for row in truth
        if not is_kept(cells[row[key]].get(column), types.get(column, ""), row.get(names.get(column)))
    }


def is_kept(cell: Any, kind: str, value: Any) -> bool:
    """True if a cell holds what the API sent, in the column's own way of writing it."""
    if cell is None or value is None:
        return cell is None and value is None
    if kind == "TIMESTAMP":
        # in UTC, with a fraction of at most six digits
        match = re.fullmatch(r"(.{10}T.{8}(?:\.\d{3}|\.\d{6})?)(?:Z|[+-]00:00)", str(value))
        return match is not None and bool(cell == datetime.fromisoformat(match[1]))
    if kind == "VARCHAR" and isinstance(value, str):
        return bool(cell == value)
    if kind == "JSON" or kind == "VARCHAR":
        return same(exact_json(cell), value)
    return same(cell, value)


def same(left: Any, right: Any) -> bool:
    """Equal values of equal types; a whole number may be an int on one side and a Decimal on the other."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if type(left) in (int, Decimal) and type(right) in (int, Decimal):
        return Decimal(left) == Decimal(right)
    return type(left) is type(right) and bool(left == right)


def kind_of(type: list[str], format: str | None = None, **_: Any) -> str:
    """The one type that a schema gives a field beside `null`."""
    (kind,) = set(type) - {"null"}
    return format or kind


def assert_table_is_truth(
    cache: DuckDBCache, stream: str, schema: dict[str, Any], truth: list[dict[str, Any]]
) -> None:
    """The table holds the truth, each field of which the schema names, in a column of its kind."""
    kinds = {name: kind_of(**field) for name, field in schema["properties"].items()}
    types, _ = table_rows(cache, stream)
    assert types == {name.lower(): COLUMN_TYPES[kind] for name, kind in kinds.items()}
    for row in truth:
        for name, value in row.items():
            assert kinds[name] != "string" or isinstance(value, (str, type(None))), "a text that is none"
    assert altered_fields(cache, stream, truth) == set()
