"""An API whose every row is given: both lists, page by page, with the tokens and parameters of docs/api.md."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

MOST_ROWS = 100


class FixedLists(ThreadingHTTPServer):
    """Assets newest first, alarms oldest first, each row an exact JSON text; alarms have `createdDate` in UTC to the second."""

    daemon_threads = True

    def __init__(self, assets: list[str], alarms: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.rows = {"assets": assets, "alarms": alarms}

    def __enter__(self) -> FixedLists:
        Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def config(self, **alarms: Any) -> dict[str, Any]:
        """A config of both lists, with further keys for alarms."""
        base_url = f"http://127.0.0.1:{self.server_port}"
        account = {"auth_url": f"{base_url}/token", "client_id": "me", "client_secret": "fixed-secret"}
        lists = {"assets": {"base_url": base_url}, "alarms": {"id_field": "alarmId", **alarms, "base_url": base_url}}
        return {**account, **lists}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FixedLists

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.answer('{"accessToken":"fixed-token","expiresIn":86400,"tokenType":"Bearer"}')

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        rows = self.server.rows[address.path.rsplit("/", 1)[1]]
        if "createdSince" in query:
            rows = [row for row in rows if json.loads(row)["createdDate"] >= query["createdSince"]]
        start = int(query.get("offset", query.get("after", 0)))
        end = start + min(int(query.get("limit", MOST_ROWS)), MOST_ROWS)
        by_offset = {"offset": start, "totalCount": len(rows)}
        by_cursor = {"nextCursor": str(end) if end < len(rows) else ""}
        pagination = json.dumps(by_offset if "offset" in query else by_cursor)
        self.answer(f'{{"items":[{",".join(rows[start:end])}],"metadata":{{"pagination":{pagination}}}}}')

    def answer(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
