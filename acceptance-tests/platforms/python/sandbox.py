"""A client of the sandbox."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from typing import Any

from requests import Session


def exact_json(text: str) -> Any:
    """Parses JSON exactly: integers as int, other numbers as Decimal."""
    return json.loads(text, parse_float=Decimal)


class World:
    """A new world with options of POST /worlds."""

    def __init__(self, **options: Any) -> None:
        self._http = Session()
        # ignore proxies for the loopback interface
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
        """Changes rows, for example `alarms/arrive`, `assets/insert` or `assets/delete`."""
        self._call("POST", f"/{what}", how)

    def rows_sent(self, stream: str) -> int:
        """Returns the number of rows sent since the log was cleared."""
        return int(json.loads(self._call("GET", "/requests?last=0"))["endpoints"][stream]["rows"])

    def clear_requests(self) -> None:
        self._call("DELETE", "/requests")

    def truth(self, stream: str) -> list[dict[str, Any]]:
        """Returns the existing rows as exact values."""
        return [exact_json(line) for line in self._call("GET", f"/truth/{stream}?").split("\n") if line]
