"""The releases of DuckDB with which tables.sql is tried: the command, and the libraries of Python and Node.js."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs/warehouse.md").read_text()


def block(language: str) -> str:
    """Returns the only code block of the page in a language."""
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(text)


@dataclass(frozen=True)
class Engine:
    """A `duckdb` command, a Python with the library, or a folder in which Node.js finds it."""

    program: Path
    name: str = "pinned"

    def __str__(self) -> str:
        return self.name

    def run_tables(self, folder: Path) -> subprocess.CompletedProcess[bytes]:
        """Runs tables.sql in a folder, as the page does."""
        if self.program.name == "duckdb":
            with open(folder / "tables.sql") as script:
                return self._run(folder, [str(self.program), "fleet.duckdb"], stdin=script)
        if self.program.is_dir():
            script_file = self.program / "tables.mjs"
            script_file.write_text(block("js"))
            return self._run(folder, ["node", str(script_file)])
        return self._run(folder, [str(self.program), "-c", block("python")])

    def _run(self, folder: Path, command: list[str], stdin: object = None) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command, stdin=stdin, cwd=folder, capture_output=True, check=False)  # type: ignore[call-overload]


def engines() -> list[Engine]:
    """Returns the installed releases, whose programs DUCKDBS has by their names."""
    return [Engine(Path(program), name) for name, program in json.loads(os.environ["DUCKDBS"]).items()]
