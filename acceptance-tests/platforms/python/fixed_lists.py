"""Serves given rows of both lists, with the tokens and parameters of docs/api.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl
from wsgiref.simple_server import WSGIRequestHandler, make_server

MAX_PAGE_SIZE = 100
TOKEN = '{"accessToken":"fixed-token","expiresIn":86400,"tokenType":"Bearer"}'


class Silent(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def page_of(rows: list[str], query: dict[str, str]) -> str:
    since = query.get("createdSince", "")
    rows = [row for row in rows if since == "" or json.loads(row)["createdDate"] >= since]
    start = int(query.get("offset", query.get("after", 0)))
    end = start + min(int(query.get("limit", MAX_PAGE_SIZE)), MAX_PAGE_SIZE)
    by_offset = {"offset": start, "totalCount": len(rows)}
    by_cursor = {"nextCursor": str(end) if end < len(rows) else ""}
    pagination = json.dumps(by_offset if "offset" in query else by_cursor)
    return f'{{"items":[{",".join(rows[start:end])}],"metadata":{{"pagination":{pagination}}}}}'


@contextmanager
def fixed_lists(assets: list[str], alarms: list[str]) -> Iterator[dict[str, Any]]:
    """Yields a config for these JSON texts: assets newest first, alarms oldest first, with `createdDate` in UTC seconds."""
    rows = {"assets": assets, "alarms": alarms}

    def answer(request: dict[str, Any], start: Any) -> list[bytes]:
        request["wsgi.input"].read(int(request.get("CONTENT_LENGTH") or 0))
        _, _, name = request["PATH_INFO"].rpartition("/")
        start("200 OK", [("content-type", "application/json")])
        text = TOKEN if name == "token" else page_of(rows[name], dict(parse_qsl(request["QUERY_STRING"])))
        return [text.encode()]

    with make_server("127.0.0.1", 0, answer, handler_class=Silent) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        base_url = f"http://127.0.0.1:{server.server_port}"
        account = {"auth_url": f"{base_url}/token", "client_id": "me", "client_secret": "fixed-secret"}
        lists = {"assets": {"base_url": base_url}, "alarms": {"base_url": base_url, "id_field": "alarmId"}}
        yield {**account, **lists}
        server.shutdown()
