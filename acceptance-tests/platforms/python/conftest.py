"""What all suites share: tokens of its own for each test, and skips as lines of JSON, compared with those that are allowed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

# makes one test of each scenario of the standard tests
pytest_plugins = ["airbyte_cdk.test.standard_tests.pytest_hooks"]


@pytest.fixture(autouse=True)
def own_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_TRAILER_DATA_CACHE", str(tmp_path / "tokens"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not report.skipped:
        return
    file, _, name = report.nodeid.partition("::")
    reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
    skip = {"file": f"acceptance-tests/platforms/python/{file}", "name": name, "reason": reason}
    with open(os.environ["SKIPS"], "a", encoding="utf-8") as skips:
        skips.write(json.dumps(skip) + "\n")
