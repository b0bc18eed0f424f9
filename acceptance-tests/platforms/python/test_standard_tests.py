"""
Runs the standard tests of Airbyte's Python CDK on the built program. They call a connector through one function, which starts
the program here instead of a Python object.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from airbyte_cdk.test import entrypoint_wrapper
from airbyte_cdk.test.entrypoint_wrapper import EntrypointOutput
from airbyte_cdk.test.models import ConnectorTestScenario
from airbyte_cdk.test.models.scenario import REMOVED_ENTRY_KEYS
from airbyte_cdk.test.standard_tests.source_base import SourceTestSuiteBase

from program import NAME
from sandbox import World
from strict_messages import run_strictly

CONFORMANCE = Path(__file__).parents[2] / "suites/conformance"
# keys of the older acceptance tests that these tests reject; acceptance-tests/suites/conformance checks them
REJECTED_KEYS = {
    *REMOVED_ENTRY_KEYS,
    "validate_data_points",
    "validate_stream_statuses",
    "validate_primary_keys_data_type",
}


class ProgramInstead:
    """Replaces the connector object that the tests expect."""

    def spec(self, logger: object) -> None:
        raise NotImplementedError


def config_for_sandbox(file: Path) -> dict[str, Any]:
    """Returns the config of a new world, with the secret of the file if it is in the repository."""
    world = World(assets=60, alarms=120, drivers=30, trips=40, knobs={"alarmsMaxPageSize": 25})
    # written by the sandbox
    if file.parent.name == ".work":
        return world.config
    return {**world.config, "client_secret": json.loads(file.read_text())["client_secret"]}


@pytest.mark.filterwarnings("error::airbyte_cdk.test.standard_tests._catalog_checks.DiscoveredCatalogWarning")
class TestProgram(SourceTestSuiteBase):
    connector = ProgramInstead

    @classmethod
    def get_connector_root_dir(cls) -> Path:
        return CONFORMANCE

    @classmethod
    def get_scenarios(cls) -> list[ConnectorTestScenario]:
        """Returns a scenario for each declared config, with the config of a new world."""
        return [
            scenario.model_copy(update={"config_dict": config_for_sandbox(CONFORMANCE / scenario.config_path)})
            for scenario in super().get_scenarios()
            if scenario.config_path is not None
        ]

    @pytest.fixture(autouse=True)
    def through_the_program(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def run_instead(source: object, args: list[str], **_: object) -> EntrypointOutput:
            assert isinstance(source, ProgramInstead)
            done, _ = run_strictly(*args)
            output = EntrypointOutput(messages=done.lines, command=[NAME, *args])
            assert (done.code == 0) == (not output.errors)
            return output

        monkeypatch.setattr(entrypoint_wrapper, "_run_command", run_instead)


for name in dir(SourceTestSuiteBase):
    if name.startswith("test_docker_"):
        # these build another image; see platforms/container
        setattr(TestProgram, name, None)

# the acceptance test config without rejected keys
declared = yaml.safe_load((CONFORMANCE / "acceptance-test-config.yml").read_text())
for section in declared["acceptance_tests"].values():
    section["tests"] = [
        {key: value for key, value in test.items() if key not in REJECTED_KEYS} for test in section["tests"]
    ]
TestProgram.acceptance_test_config = declared
