"""Meltano, through the wrapper that it has for Airbyte's sources: what a loader gets is what the sandbox holds."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from connector import NAME, Launcher
from sandbox import World, create_world, exact_json

pytestmark = pytest.mark.skipif(
    "MELTANO" not in os.environ, reason=os.environ.get("MELTANO_MISSING", "Meltano is not installed")
)

KEYS = {"assets": "assetId", "alarms": "alarmId"}


def put_in_place(launcher: Launcher) -> None:
    """
    Puts the launcher where the wrapper would install a source from PyPI. It looks there for `pip` too, to ask it
    whether what is installed fits together; nothing is.
    """
    (package,) = Path(os.environ["MELTANO_PROJECT"]).glob(
        ".meltano/extractors/tap-airbyte-wrapper/venv/lib/python*/site-packages/tap_airbyte"
    )
    programs = package / f".venv-airbyte-{NAME}" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    for name, text in ((NAME, launcher.path.read_text()), ("pip", "#!/bin/sh\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)


class Pipeline:
    """One pipeline of the project, with a state and an output folder of its own."""

    def __init__(self, folder: Path, world: World) -> None:
        self.world = world
        self.output = folder / "output"
        self.output.mkdir()
        self.environment = {
            **os.environ,
            "TAP_AIRBYTE_WRAPPER_AIRBYTE_CONFIG": json.dumps(world.config),
            "TARGET_JSONL_DESTINATION_PATH": str(self.output),
            # the state is kept with the project, by the name of the pipeline
            "MELTANO_DATABASE_URI": f"sqlite:///{folder}/meltano.db",
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [os.environ["MELTANO"], "run", *arguments, "tap-airbyte-wrapper", "target-jsonl"],
            cwd=os.environ["MELTANO_PROJECT"],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def take_rows(self, stream: str) -> list[dict[str, Any]]:
        """The rows that were loaded since they were last taken."""
        file = self.output / f"{stream}.jsonl"
        if not file.exists():
            return []
        rows = [exact_json(line) for line in file.read_text().split("\n") if line]
        file.unlink()
        return rows


@pytest.fixture
def pipeline(launcher: Launcher, tmp_path: Path) -> Pipeline:
    put_in_place(launcher)
    return Pipeline(tmp_path, create_world(assets=200, alarms=600))


def sorted_by(key: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row[key])


def test_full_read_then_what_arrived(
    pipeline: Pipeline, record_property: Callable[[str, object], None]
) -> None:
    first = pipeline.run()
    assert first.returncode == 0, first.stderr[-2000:]
    for stream, key in KEYS.items():
        rows = pipeline.take_rows(stream)
        assert sorted_by(key, rows) == sorted_by(key, pipeline.world.truth(stream))
        record_property(stream, len(rows))
    before = {row["alarmId"] for row in pipeline.world.truth("alarms")}
    pipeline.world.arrive_alarms(12)
    pipeline.world.delete_assets(20)
    second = pipeline.run()
    assert second.returncode == 0, second.stderr[-2000:]
    arrived = [row for row in pipeline.world.truth("alarms") if row["alarmId"] not in before]
    assert len(arrived) == 12
    assert sorted_by("alarmId", pipeline.take_rows("alarms")) == sorted_by("alarmId", arrived)
    assets = pipeline.world.truth("assets")
    assert sorted_by("assetId", pipeline.take_rows("assets")) == sorted_by("assetId", assets)


def test_a_failing_stream_fails_the_run(pipeline: Pipeline) -> None:
    assert pipeline.run().returncode == 0
    pipeline.world.knobs({"permissions": {"assets": True, "alarms": False}})
    failed = pipeline.run()
    assert failed.returncode != 0
    assert "permission" in failed.stdout + failed.stderr
