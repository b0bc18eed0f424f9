"""The sandbox as seen from Python: makes worlds, changes them and asks for what they really hold."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from typing import Any

from requests import Session


def exact_json(text: str) -> Any:
    """A JSON value with every digit of its numbers: integers as int, all others as Decimal."""
    return json.loads(text, parse_float=Decimal)


class World:
    """A world of its own; options are those of POST /worlds."""

    def __init__(self, **options: Any) -> None:
        self._http = Session()
        # proxies of the environment must not come between this process and the loopback interface
        self._http.trust_env = False
        self._url = f"{os.environ['SANDBOX_URL']}/worlds"
        made = json.loads(self._call("POST", "", options))
        self._url = f"{self._url}/{made['id']}"
        self.config: dict[str, Any] = made["config"]

    def _call(self, method: str, path: str, body: object = None) -> str:
        answer = self._http.request(method, self._url + path, json=body, timeout=60)
        answer.raise_for_status()
        return answer.content.decode()

    def knobs(self, **patch: Any) -> None:
        self._call("PATCH", "/knobs", patch)

    def change(self, what: str, **how: Any) -> None:
        """Changes rows: `alarms/arrive`, `assets/insert`, `assets/delete`."""
        self._call("POST", f"/{what}", how)

    def rows_sent(self, stream: str) -> int:
        """Rows of a stream that the API has answered with since the log was cleared."""
        return int(json.loads(self._call("GET", "/requests?last=0"))["endpoints"][stream]["rows"])

    def clear_requests(self) -> None:
        self._call("DELETE", "/requests")

    def truth(self, stream: str) -> list[dict[str, Any]]:
        """The rows that exist now, as exact values."""
        return [exact_json(line) for line in self._call("GET", f"/truth/{stream}?").split("\n") if line]
