"""The assets list as a tap of the Meltano SDK, in the manner of its template. Argument: --config FILE."""

from __future__ import annotations

import decimal
import typing as t

import requests
from singer_sdk import Tap
from singer_sdk import typing as th
from singer_sdk.authenticators import BearerTokenAuthenticator
from singer_sdk.pagination import BaseOffsetPaginator
from singer_sdk.streams import RESTStream

OPEN = th.ObjectType(additional_properties=True)


class AllPages(BaseOffsetPaginator):
    """Goes on until the server says that there is nothing more."""

    def has_more(self, response: requests.Response) -> bool:
        page = response.json()
        end = self.current_value + len(page["items"])
        return bool(page["items"]) and end < page["metadata"]["pagination"]["totalCount"]


class Assets(RESTStream):
    name = "assets"
    path = "/v1/assets"
    primary_keys = ("assetId",)
    records_jsonpath = "$.items[*]"
    schema = th.PropertiesList(
        th.Property("assetId", th.StringType, required=True),
        *(
            th.Property(name, th.StringType)
            for name in (
                "vin name licensePlate assetType brand model registrationCountry notes createdDate updatedDate"
            ).split()
        ),
        *(th.Property(name, th.IntegerType) for name in ("year", "deviceSerial", "axles")),
        *(th.Property(name, th.NumberType) for name in ("odometerKm", "emptyWeightKg")),
        th.Property("tags", th.ArrayType(th.StringType)),
        th.Property("groups", th.ArrayType(OPEN)),
        *(th.Property(name, OPEN) for name in ("lastPosition", "dimensions", "coolingUnit", "driver")),
        th.Property("tyrePressures", th.ArrayType(th.NumberType)),
    ).to_dict()

    @property
    def url_base(self) -> str:
        return self.config["base_url"]

    @property
    def authenticator(self) -> BearerTokenAuthenticator:
        return BearerTokenAuthenticator(token=self._tap.token)

    def get_new_paginator(self) -> AllPages:
        return AllPages(start_value=0, page_size=self.config["page_size"])

    def get_url_params(self, context: t.Any, next_page_token: int | None) -> dict[str, t.Any]:
        return {"limit": self.config["page_size"], "offset": next_page_token or 0}

    def parse_response(self, response: requests.Response) -> t.Iterable[dict]:
        # the template parses so, to keep the digits of decimals
        yield from response.json(parse_float=decimal.Decimal)["items"]


class BenchTap(Tap):
    name = "tap-bench"
    config_jsonschema = th.PropertiesList(
        th.Property("auth_url", th.StringType, required=True),
        th.Property("base_url", th.StringType, required=True),
        th.Property("page_size", th.IntegerType, required=True),
    ).to_dict()
    _token: str | None = None

    @property
    def token(self) -> str:
        if self._token is None:
            credentials = {"clientId": "bench", "clientSecret": "bench-secret", "audience": "API"}
            answer = requests.post(self.config["auth_url"], json=credentials, timeout=60)
            self._token = answer.json()["accessToken"]
        return self._token

    def discover_streams(self) -> list[Assets]:
        return [Assets(self)]


if __name__ == "__main__":
    BenchTap.cli()
