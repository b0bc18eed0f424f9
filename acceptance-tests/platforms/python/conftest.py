"""Reports skips as JSON lines, to be compared with the allowed ones."""

from __future__ import annotations

import json
import os

import pytest

# creates a test for each scenario of the standard tests
pytest_plugins = ["airbyte_cdk.test.standard_tests.pytest_hooks"]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not report.skipped:
        return
    file, _, name = report.nodeid.partition("::")
    reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
    skip = {"file": f"acceptance-tests/platforms/python/{file}", "name": name, "reason": reason}
    with open(os.environ["SKIPS"], "a", encoding="utf-8") as skips:
        skips.write(json.dumps(skip) + "\n")
