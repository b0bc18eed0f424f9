"""The sandbox as seen from Python: makes worlds, changes them and asks for what they really hold."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from requests import Session

_http = Session()
# proxies of the environment must not come between this process and the loopback interface
_http.trust_env = False


def _call(method: str, path: str, body: object = None) -> str:
    answer = _http.request(method, f"{os.environ['SANDBOX_URL']}/worlds{path}", json=body, timeout=60)
    answer.raise_for_status()
    return answer.content.decode()


def exact_json(text: str) -> Any:
    """A JSON value with every digit of its numbers: integers as int, all others as Decimal."""
    return json.loads(text, parse_float=Decimal)


@dataclass(frozen=True)
class World:
    """One world of the sandbox."""

    id: str
    config: dict[str, Any]

    def knobs(self, **patch: Any) -> None:
        _call("PATCH", f"/{self.id}/knobs", patch)

    def change(self, what: str, **how: Any) -> None:
        """Changes rows: `alarms/arrive`, `assets/insert`, `assets/delete`."""
        _call("POST", f"/{self.id}/{what}", how)

    def rows_sent(self, stream: str) -> int:
        """Rows of a stream that the API has answered with since the log was cleared."""
        return int(json.loads(_call("GET", f"/{self.id}/requests?last=0"))["endpoints"][stream]["rows"])

    def clear_requests(self) -> None:
        _call("DELETE", f"/{self.id}/requests")

    def truth(self, stream: str) -> list[dict[str, Any]]:
        """The rows that exist now, as exact values."""
        lines = _call("GET", f"/{self.id}/truth/{stream}?").split("\n")
        return [exact_json(line) for line in lines if line]


def create_world(**options: Any) -> World:
    """A world of its own; options are those of POST /worlds."""
    made = json.loads(_call("POST", "", options))
    return World(made["id"], made["config"])
