"""An API whose every row is given: both lists, page by page, with the tokens and parameters of docs/api.md."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

MOST_ROWS = 100


class Lists(ThreadingHTTPServer):
    """Assets newest first, alarms oldest first, each row an exact JSON text; alarms have `createdDate` in UTC to the second."""

    daemon_threads = True

    def __init__(self, assets: list[str], alarms: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.rows = {"assets": assets, "alarms": alarms}
        origin = f"http://127.0.0.1:{self.server_port}"
        self.config: dict[str, Any] = {
            "auth_url": f"{origin}/token",
            "client_id": "me",
            "client_secret": "fixed-secret",
            "assets": {"base_url": origin},
            "alarms": {"base_url": origin, "id_field": "alarmId"},
        }

    def alarms_config(self, keys: dict[str, Any]) -> dict[str, Any]:
        """A config without assets, and with these keys for alarms, but for their address."""
        base = {name: value for name, value in self.config.items() if name != "assets"}
        return {**base, "alarms": {"id_field": "alarmId", **keys, "base_url": base["alarms"]["base_url"]}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Lists

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.answer('{"accessToken":"fixed-token","expiresIn":86400,"tokenType":"Bearer"}')

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        rows = self.server.rows[address.path.rsplit("/", 1)[1]]
        if "createdSince" in query:
            rows = [row for row in rows if json.loads(row)["createdDate"] >= query["createdSince"]]
        start = int(query.get("offset", query.get("after", 0)))
        end = start + min(int(query.get("limit", MOST_ROWS)), MOST_ROWS)
        pagination = (
            {"offset": start, "totalCount": len(rows)}
            if "offset" in query
            else {"nextCursor": str(end) if end < len(rows) else ""}
        )
        items = ",".join(rows[start:end])
        self.answer(f'{{"items":[{items}],"metadata":{{"pagination":{json.dumps(pagination)}}}}}')

    def answer(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def fixed_lists(assets: list[str], alarms: list[str]) -> Iterator[Lists]:
    """Serves the rows on a free port of the loopback interface."""
    with Lists(assets, alarms) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
