"""Compares tables of a PyAirbyte cache with rows of the API."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sandbox import exact_json

if TYPE_CHECKING:
    from airbyte.caches import DuckDBCache

KEYS = {"assets": "assetId", "alarms": "alarmId"}
# including lists from the config
ALL_KEYS = {**KEYS, "drivers": "driverId", "trips": "tripId"}

# The DuckDB column types of schema types. PyAirbyte requests timestamps with a zone, but its DuckDB dialect creates them
# without, in UTC.
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
    """Returns the column types and the rows of a table, with times as naive datetimes and JSON as text."""
    table = f"{cache.schema_name}.{stream}"
    with cache.get_sql_engine().connect() as connection:
        described = connection.exec_driver_sql(f"DESCRIBE {table}").fetchall()
        types = {name: kind for name, kind, *_ in described if not name.startswith("_airbyte_")}
        read_as = {"JSON": "CAST({0} AS VARCHAR) AS {0}"}
        columns = ", ".join(read_as.get(kind, "{0}").format(name) for name, kind in types.items())
        rows = connection.exec_driver_sql(f"SELECT {columns} FROM {table}").mappings().all()
    return types, [dict(row) for row in rows]


def altered_fields(cache: DuckDBCache, stream: str, truth: list[dict[str, Any]]) -> set[str]:
    """Returns the fields with altered cells. The table must contain exactly the rows of the truth, once."""
    types, rows = table_rows(cache, stream)
    key = ALL_KEYS[stream]
    cells = {row[key.lower()]: row for row in rows}
    assert len(rows) == len(truth) and cells.keys() == {row[key] for row in truth}, "rows lost or duplicated"
    names = {name.lower(): name for row in truth for name in row}
    return {
        names.get(column, column)
        for column in types.keys() | names.keys()
        for row in truth
        if not is_kept(cells[row[key]].get(column), types.get(column, ""), row.get(names.get(column)))
    }


def is_kept(cell: Any, kind: str, value: Any) -> bool:
    """Whether a cell has the value that the API sent."""
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
    """Whether values and types are equal; an int may equal a Decimal."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if type(left) in (int, Decimal) and type(right) in (int, Decimal):
        return Decimal(left) == Decimal(right)
    return type(left) is type(right) and bool(left == right)


def kind_of(type: list[str], format: str | None = None, **_: Any) -> str:
    """Returns the format, or the only type other than `null`."""
    (kind,) = set(type) - {"null"}
    return format or kind


def assert_table_is_truth(
    cache: DuckDBCache, stream: str, schema: dict[str, Any], truth: list[dict[str, Any]]
) -> None:
    """Asserts that the table contains the truth in columns of the declared types."""
    kinds = {name: kind_of(**field) for name, field in schema["properties"].items()}
    types, _ = table_rows(cache, stream)
    assert types == {name.lower(): COLUMN_TYPES[kind] for name, kind in kinds.items()}
    for row in truth:
        for name, value in row.items():
            assert kinds[name] != "string" or isinstance(value, (str, type(None))), "not a text"
    assert altered_fields(cache, stream, truth) == set()
