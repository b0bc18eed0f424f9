"""
Assets or alarms as a tap of the Meltano SDK, in the manner of its template, with its optional msgspec: that reads and
writes, and each page is parsed once. Arguments: --config FILE [--test].
"""

from __future__ import annotations

import typing as t
from functools import cached_property

import requests
from singer_sdk import Stream, Tap
from singer_sdk import typing as th
from singer_sdk.authenticators import BearerTokenAuthenticator
from singer_sdk.contrib.msgspec import MsgSpecWriter, decoder
from singer_sdk.pagination import BaseAPIPaginator, OffsetPaginator
from singer_sdk.streams import RESTStream


def schema_of(types: dict[t.Any, str]) -> dict:
    """A schema from the names that each type has."""
    named = [th.Property(name, type_) for type_, names in types.items() for name in names.split()]
    return th.PropertiesList(*named).to_dict()


STRING, INTEGER, NUMBER = th.StringType(), th.IntegerType(), th.NumberType()
OPEN = th.ObjectType(additional_properties=True)
SCHEMAS = {
    "assets": schema_of(
        {
            STRING: "assetId vin name licensePlate assetType brand model registrationCountry notes createdDate "
            "updatedDate",
            INTEGER: "year deviceSerial axles",
            NUMBER: "odometerKm emptyWeightKg",
            th.ArrayType(STRING): "tags",
            th.ArrayType(OPEN): "groups",
            th.ArrayType(NUMBER): "tyrePressures",
            OPEN: "lastPosition dimensions coolingUnit driver",
        }
    ),
    "alarms": schema_of(
        {
            STRING: "alarmId assetId createdDate alarmType severity status message code unit acknowledgedDate",
            INTEGER: "sequence ruleId",
            NUMBER: "value threshold",
            th.ArrayType(STRING): "tags",
            th.ArrayType(NUMBER): "readings",
            OPEN: "position details acknowledgedBy geofence",
        }
    ),
}


class Cursors(BaseAPIPaginator):
    """Takes the cursor from the page that the stream has parsed."""

    def __init__(self, stream: List) -> None:
        super().__init__(None)
        self.stream = stream

    def get_next(self, response: requests.Response) -> str | None:
        return self.stream.page["metadata"]["pagination"]["nextCursor"]


class List(RESTStream):
    page: t.ClassVar[dict] = {}

    def __init__(self, tap: BenchTap) -> None:
        kind = tap.config["kind"]
        super().__init__(tap, kind, SCHEMAS[kind], f"/v1/{kind}")
        self.primary_keys = (f"{kind[:-1]}Id",)

    @property
    def url_base(self) -> str:
        return self.config["base_url"]

    @property
    def authenticator(self) -> BearerTokenAuthenticator:
        return BearerTokenAuthenticator(token=self._tap.token)

    def get_new_paginator(self) -> BaseAPIPaginator:
        if self.name == "alarms":
            return Cursors(self)
        return OffsetPaginator(start_value=0, page_size=self.config["page_size"])

    def get_url_params(self, context: t.Any, next_page_token: t.Any) -> dict[str, t.Any]:
        if self.name == "assets":
            return {"limit": self.config["page_size"], "offset": next_page_token or 0}
        after = {"after": next_page_token} if next_page_token else {}
        return {"limit": self.config["page_size"], **after}

    def parse_response(self, response: requests.Response) -> t.Iterable[dict]:
        self.page = decoder.decode(response.content)
        yield from self.page.get("items", [])


class BenchTap(Tap):
    name = "tap-bench"
    message_writer_class = MsgSpecWriter
    config_jsonschema = schema_of({STRING: "auth_url client_id client_secret base_url kind", INTEGER: "page_size"})

    @cached_property
    def token(self) -> str:
        account = {"clientId": self.config["client_id"], "clientSecret": self.config["client_secret"]}
        answer = requests.post(self.config["auth_url"], json={**account, "audience": "API"}, timeout=60)
        return answer.json()["accessToken"]

    def discover_streams(self) -> list[Stream]:
        return [List(self)]


if __name__ == "__main__":
    BenchTap.cli()
