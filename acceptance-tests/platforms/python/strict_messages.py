"""Loads lines of output strictly into Airbyte's own models, of both makes."""

from __future__ import annotations

import json
from typing import Any

from airbyte_cdk.models import AirbyteMessage
from airbyte_cdk.models.airbyte_protocol_serializers import custom_type_resolver
from airbyte_protocol.models import AirbyteMessage as PydanticMessage
from serpyco_rs import Serializer

# with nulls kept, so that what a model drops can be told from what it writes out as null
_dataclass = Serializer(AirbyteMessage, omit_none=False, custom_type_resolver=custom_type_resolver)


def load_strictly(line: str) -> AirbyteMessage:
    """
    The message of a line, as dataclasses. Raises AssertionError, or the model's own error, if either model does not
    take it: a member of the wrong type, one that is missing, or one that the model does not know and would drop.
    """
    sent = json.loads(line)
    message = _dataclass.load(sent)
    _assert_holds(_dataclass.dump(message), sent, "$")
    modelled = PydanticMessage.model_validate_json(line, strict=True)
    assert modelled.model_dump(mode="json", by_alias=True, exclude_unset=True) == sent
    _assert_known(modelled, "$")
    return message


def _assert_holds(kept: Any, sent: Any, place: str) -> None:
    """Whatever was sent is still there: models leave out what they do not know without a word."""
    if isinstance(sent, dict):
        assert isinstance(kept, dict), place
        for name, value in sent.items():
            assert name in kept, f"{place}.{name} is unknown to the model"
            _assert_holds(kept[name], value, f"{place}.{name}")
    elif isinstance(sent, list):
        assert isinstance(kept, list) and len(kept) == len(sent), place
        for index, (left, right) in enumerate(zip(kept, sent, strict=True)):
            _assert_holds(left, right, f"{place}[{index}]")
    else:
        assert kept == sent, f"{place}: {kept!r} instead of {sent!r}"


def _assert_known(value: Any, place: str) -> None:
    """No object of the model holds a member that the model only tolerates. A state is free in its members."""
    if isinstance(value, list):
        for element in value:
            _assert_known(element, place)
    fields = getattr(type(value), "model_fields", None)
    if fields is None or type(value).__name__ == "AirbyteStateBlob":
        return
    assert not value.model_extra, f"{place} holds {list(value.model_extra)}, unknown to the model"
    for name in fields:
        _assert_known(getattr(value, name), f"{place}.{name}")
