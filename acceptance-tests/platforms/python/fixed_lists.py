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
        self.assets = assets
        self.alarms = alarms

    @property
    def config(self) -> dict[str, Any]:
        origin = f"http://127.0.0.1:{self.server_port}"
        return {
            "auth_url": f"{origin}/token",
            "client_id": "me",
            "client_secret": "fixed-secret",
            "assets": {"base_url": origin},
            "alarms": {"base_url": origin, "id_field": "alarmId"},
        }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Lists

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.answer('{"accessToken":"fixed-token","expiresIn":86400,"tokenType":"Bearer"}')

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        limit = min(int(query.get("limit", MOST_ROWS)), MOST_ROWS)
        if address.path.endswith("/assets"):
            offset = int(query["offset"])
            pagination = {"offset": offset, "totalCount": len(self.server.assets)}
            self.page(self.server.assets[offset : offset + limit], pagination)
            return
        since = query.get("createdSince", "")
        rows = [row for row in self.server.alarms if created(row) >= since]
        start = int(query.get("after", 0))
        end = start + limit
        self.page(rows[start:end], {"nextCursor": str(end) if end < len(rows) else ""})

    def page(self, rows: list[str], pagination: dict[str, Any]) -> None:
        self.answer(f'{{"items":[{",".join(rows)}],"metadata":{{"pagination":{json.dumps(pagination)}}}}}')

    def answer(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def created(row: str) -> str:
    return str(json.loads(row)["createdDate"])


@contextmanager
def fixed_lists(assets: list[str], alarms: list[str]) -> Iterator[Lists]:
    """Serves the rows on a free port of the loopback interface."""
    with Lists(assets, alarms) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
