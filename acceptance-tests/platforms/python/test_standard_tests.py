"""
The standard tests of Airbyte's Python CDK, unchanged, on the built program. They call a connector through one function,
which runs a Python object; here it starts the program instead and hands its output over.
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
# keys of the older acceptance tests that these tests refuse; acceptance-tests/suites/conformance makes those assertions
NOT_READ_HERE = {
    *REMOVED_ENTRY_KEYS,
    "validate_data_points",
    "validate_stream_statuses",
    "validate_primary_keys_data_type",
}


class ProgramInstead:
    """Stands for the connector where the tests want an object; what runs is the program."""

    def spec(self, logger: object) -> None:
        raise NotImplementedError


def config_for_sandbox(file: Path) -> dict[str, Any]:
    """The config of a new world; of a file that the repository holds, its secret is taken."""
    world = World(assets=60, alarms=120, drivers=30, trips=40, knobs={"alarmsMaxPageSize": 25})
    # what the sandbox writes for people
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
        """One for each config that is declared, its files replaced by the config of a world made for it."""
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
        # these build an image in a way of their own; ours is tested by .ci/run
        setattr(TestProgram, name, None)

# our acceptance test config without the keys that are not read here
declared = yaml.safe_load((CONFORMANCE / "acceptance-test-config.yml").read_text())
for section in declared["acceptance_tests"].values():
    section["tests"] = [
        {key: value for key, value in test.items() if key not in NOT_READ_HERE} for test in section["tests"]
    ]
TestProgram.acceptance_test_config = declared
