"""The built program as a process: a launcher for clients that want an executable, and runs of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "source-trailer-data"


@dataclass(frozen=True)
class Launcher:
    """An executable that starts the program, as a client expects one; it leaves the id of each process behind."""

    path: Path

    def process_id(self, command: str) -> int:
        """The id of the process that last ran a command. Raises FileNotFoundError before the first one."""
        return int(self.path.with_name(f"{command}.pid").read_text())


def make_launcher(folder: Path) -> Launcher:
    """Writes a launcher into `folder`; what the program keeps between runs stays in there too."""
    path, keep = folder / NAME, shlex.quote(str(folder))
    node, program = shlex.quote(os.environ["NODE"]), shlex.quote(os.environ["PROGRAM"])
    path.write_text(
        "#!/bin/sh\n"
        f"export SOURCE_TRAILER_DATA_CACHE={keep}/token-cache\n"
        f'echo $$ > {keep}/new.pid && mv {keep}/new.pid {keep}/"$1".pid\n'
        f'exec {node} {program} "$@"\n'
    )
    path.chmod(0o755)
    return Launcher(path)


@dataclass(frozen=True)
class Run:
    """A process that has ended."""

    code: int
    lines: list[str]

    def messages(self, kind: str) -> list[Any]:
        """What the messages of a type hold."""
        found = [json.loads(line) for line in self.lines if line.startswith(f'{{"type":"{kind}"')]
        return [message[kind.lower()] for message in found]


def run_program(launcher: Launcher, arguments: list[str]) -> Run:
    """Runs the program to its end; nothing may stand on stderr, and each line must end with a newline."""
    done = subprocess.run([str(launcher.path), *arguments], capture_output=True, check=False, timeout=120)
    assert done.stderr == b"", done.stderr
    text = done.stdout.decode()
    assert text == "" or text.endswith("\n"), text[-200:]
    # only a line feed ends a line: splitlines would also cut at U+2028 and the like
    return Run(done.returncode, text.split("\n")[:-1])


def options(folder: Path, **files: Any) -> list[str]:
    """Writes files of JSON; returns the options that hand them over."""
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    return [word for name in files for word in (f"--{name}", str(folder / f"{name}.json"))]
