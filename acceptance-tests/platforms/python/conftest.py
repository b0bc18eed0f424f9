"""What all suites share: a launcher for each test, and results as lines of JSON for the table that main.ts prints."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from connector import Launcher, make_launcher

# makes one test of each scenario of the standard tests
pytest_plugins = ["airbyte_cdk.test.standard_tests.pytest_hooks"]


@pytest.fixture
def launcher(tmp_path: Path) -> Launcher:
    folder = tmp_path / "program"
    folder.mkdir()
    return make_launcher(folder)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # a test that passes is told after its call; one that fails or is skipped may never come to it
    if report.when != "call" and report.passed:
        return
    name, bracket, case = report.nodeid.split("::")[-1].partition("[")
    result = {
        "suite": Path(report.nodeid.split("::")[0]).stem.removeprefix("test_"),
        "name": name.removeprefix("test_").replace("_", " ") + bracket + case,
        "outcome": report.outcome,
        "seconds": round(report.duration, 1),
        "figures": ", ".join(f"{value} {name}" for name, value in report.user_properties),
        "reason": str(report.longrepr[2]) if report.skipped and isinstance(report.longrepr, tuple) else "",
    }
    with open(os.environ["RESULTS"], "a", encoding="utf-8") as results:
        results.write(json.dumps(result) + "\n")
