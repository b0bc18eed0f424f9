"""
Assets or alarms as a tap of the Meltano SDK, in the manner of its template, with its optional msgspec: that reads and
writes, and each page is parsed once. Arguments: --config FILE [--test].
"""

from __future__ import annotations

import typing as t

import requests
from singer_sdk import Stream, Tap
from singer_sdk import typing as th
from singer_sdk.authenticators import BearerTokenAuthenticator
from singer_sdk.contrib.msgspec import MsgSpecWriter, decoder
from singer_sdk.pagination import BaseAPIPaginator, OffsetPaginator
from singer_sdk.streams import RESTStream

OPEN = th.ObjectType(additional_properties=True)


def schema_of(types: dict[t.Any, str]) -> dict:
    """A schema from the names that each type has."""
    named = [th.Property(name, type_) for type_, names in types.items() for name in names.split()]
    return th.PropertiesList(*named).to_dict()


class TrailerStream(RESTStream):
    page: t.ClassVar[dict] = {}

    @property
    def url_base(self) -> str:
        return self.config["base_url"]

    @property
    def authenticator(self) -> BearerTokenAuthenticator:
        return BearerTokenAuthenticator(token=self._tap.token)

    def parse_response(self, response: requests.Response) -> t.Iterable[dict]:
        self.page = decoder.decode(response.content)
        yield from self.page.get("items", [])


class Assets(TrailerStream):
    name = "assets"
    path = "/v1/assets"
    primary_keys = ("assetId",)
    schema = schema_of(
        {
            th.StringType(): "assetId vin name licensePlate assetType brand model registrationCountry notes "
            "createdDate updatedDate",
            th.IntegerType(): "year deviceSerial axles",
            th.NumberType(): "odometerKm emptyWeightKg",
            th.ArrayType(th.StringType): "tags",
            th.ArrayType(OPEN): "groups",
            th.ArrayType(th.NumberType): "tyrePressures",
            OPEN: "lastPosition dimensions coolingUnit driver",
        }
    )

    def get_new_paginator(self) -> BaseAPIPaginator:
        return OffsetPaginator(start_value=0, page_size=self.config["page_size"])

    def get_url_params(self, context: t.Any, next_page_token: int | None) -> dict[str, t.Any]:
        return {"limit": self.config["page_size"], "offset": next_page_token or 0}


class Cursors(BaseAPIPaginator):
    """Takes the cursor from the page that the stream has parsed."""

    def __init__(self, stream: TrailerStream) -> None:
        super().__init__(None)
        self.stream = stream

    def get_next(self, response: requests.Response) -> str | None:
        return self.stream.page["metadata"]["pagination"]["nextCursor"]


class Alarms(TrailerStream):
    name = "alarms"
    path = "/v1/alarms"
    primary_keys = ("alarmId",)
    schema = schema_of(
        {
            th.StringType(): "alarmId assetId createdDate alarmType severity status message code unit "
            "acknowledgedDate",
            th.IntegerType(): "sequence ruleId",
            th.NumberType(): "value threshold",
            th.ArrayType(th.StringType): "tags",
            th.ArrayType(th.NumberType): "readings",
            OPEN: "position details acknowledgedBy geofence",
        }
    )

    def get_new_paginator(self) -> BaseAPIPaginator:
        return Cursors(self)

    def get_url_params(self, context: t.Any, next_page_token: str | None) -> dict[str, t.Any]:
        after = {"after": next_page_token} if next_page_token else {}
        return {"limit": self.config["page_size"], **after}


class BenchTap(Tap):
    name = "tap-bench"
    message_writer_class = MsgSpecWriter
    config_jsonschema = schema_of(
        {th.StringType(): "auth_url client_id client_secret base_url kind", th.IntegerType(): "page_size"}
    )
    _token: str | None = None

    @property
    def token(self) -> str:
        if self._token is None:
            account = {"clientId": self.config["client_id"], "clientSecret": self.config["client_secret"]}
            body = {**account, "audience": "API"}
            answer = requests.post(self.config["auth_url"], json=body, timeout=60)
            self._token = answer.json()["accessToken"]
        return self._token

    def discover_streams(self) -> list[Stream]:
        return [Assets(self) if self.config["kind"] == "assets" else Alarms(self)]


if __name__ == "__main__":
    BenchTap.cli()
