"""Runs the built program through PyAirbyte or as a process."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import airbyte as ab

NAME = "source-trailer-data"
PROGRAM = Path(os.environ["PROGRAM"])


def source_of(config: dict[str, Any]) -> ab.Source:
    return ab.get_source(NAME, config=config, streams="*", local_executable=PROGRAM)


def cache_in(folder: Path) -> ab.DuckDBCache:
    return ab.DuckDBCache(db_path=folder / "cache.duckdb")


@dataclass(frozen=True)
class Run:
    code: int
    lines: list[str]

    def messages(self, kind: str) -> list[Any]:
        """Returns the payloads of a message type."""
        found = [json.loads(line) for line in self.lines if line.startswith(f'{{"type":"{kind}"')]
        return [message[kind.lower()] for message in found]

    def warnings(self) -> list[str]:
        return [log["message"] for log in self.messages("LOG") if log["level"] == "WARN"]


def run_program(*arguments: str, **files: Any) -> Run:
    """
    Runs the program. It must not write to stderr, and must end each line with a newline. `config`, `catalog` and `state` are
    passed as files, with texts unchanged and other values as JSON.
    """
    with TemporaryDirectory() as folder:
        command = [str(PROGRAM), *arguments]
        for name, content in files.items():
            file = Path(folder, f"{name}.json")
            file.write_text(content if isinstance(content, str) else json.dumps(content))
            command += [f"--{name}", str(file)]
        done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.stderr == b"", done.stderr
    text = done.stdout.decode()
    assert text == "" or text.endswith("\n"), text[-200:]
    # splitlines would also split at U+2028
    return Run(done.returncode, text.split("\n")[:-1])


def catalog_for(config: dict[str, Any], mode: str) -> dict[str, Any]:
    """Returns a configured catalog of all streams."""
    (found,) = run_program("discover", config=config).messages("CATALOG")
    modes = {"sync_mode": mode, "destination_sync_mode": "append"}
    return {"streams": [{"stream": stream, **modes} for stream in found["streams"]]}
