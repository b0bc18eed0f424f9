"""The sandbox as seen from Python: makes worlds, changes them and asks for what they really hold."""

from __future__ import annotations

import json
import os
import urllib.request
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

BASE_URL = os.environ["SANDBOX_URL"]


def _call(method: str, path: str, body: object = None) -> bytes:
    data = None if body is None else json.dumps(body).encode()
    headers = {} if data is None else {"content-type": "application/json"}
    request = urllib.request.Request(f"{BASE_URL}/worlds{path}", data=data, headers=headers, method=method)
    # proxies of the environment must not come between this process and the loopback interface
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as response:
        return bytes(response.read())


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
        log = json.loads(_call("GET", f"/{self.id}/requests?last=0"))
        return int(log["endpoints"][stream]["rows"])

    def clear_requests(self) -> None:
        _call("DELETE", f"/{self.id}/requests")

    def truth(self, stream: str) -> list[dict[str, Any]]:
        """The rows that exist now, as exact values."""
        lines = _call("GET", f"/{self.id}/truth/{stream}?").decode().split("\n")
        return [exact_json(line) for line in lines if line]


def create_world(**options: Any) -> World:
    """A world of its own; options are those of POST /worlds."""
    made = json.loads(_call("POST", "", options))
    return World(made["id"], made["config"])
