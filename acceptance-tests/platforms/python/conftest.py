"""What all suites share: skips as lines of JSON, which are compared with those that are allowed."""

from __future__ import annotations

import json
import os

import pytest

# makes one test of each scenario of the standard tests
pytest_plugins = ["airbyte_cdk.test.standard_tests.pytest_hooks"]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not report.skipped:
        return
    file, _, name = report.nodeid.partition("::")
    reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
    skip = {"file": f"acceptance-tests/platforms/python/{file}", "name": name, "reason": reason}
    with open(os.environ["SKIPS"], "a", encoding="utf-8") as skips:
        skips.write(json.dumps(skip) + "\n")
