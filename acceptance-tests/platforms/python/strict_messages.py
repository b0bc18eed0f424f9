"""Loads output strictly into both of Airbyte's message models."""

from __future__ import annotations

import json
from typing import Any

from airbyte_cdk.models import AirbyteMessage
from airbyte_cdk.models.airbyte_protocol_serializers import custom_type_resolver
from airbyte_protocol.models import AirbyteMessage as PydanticMessage
from serpyco_rs import Serializer

from program import Run, run_program

# keeps nulls, to distinguish dropped members from those that the model writes as null
_dataclass = Serializer(AirbyteMessage, omit_none=False, custom_type_resolver=custom_type_resolver)


def load_strictly(line: str) -> PydanticMessage:
    """
    Returns the message of a line. Raises an error if a member has the wrong type, is missing, or is unknown to a model, which
    would drop it.
    """
    sent = json.loads(line)
    assert holds(_dataclass.dump(_dataclass.load(sent)), sent), f"the dataclasses drop members of {line}"
    message = PydanticMessage.model_validate_json(line, strict=True)
    assert message.model_dump(mode="json", by_alias=True, exclude_unset=True) == sent
    if message.state is not None and message.state.stream is not None:
        # the only object with arbitrary members
        sent["state"]["stream"]["stream_state"] = {}
    PydanticMessage.model_validate_json(json.dumps(sent), strict=True, extra="forbid")
    return message


def holds(kept: Any, sent: Any) -> bool:
    """Whether a value contains everything that was sent."""
    if isinstance(sent, dict) and isinstance(kept, dict):
        return sent.keys() <= kept.keys() and all(holds(kept[name], sent[name]) for name in sent)
    if isinstance(sent, list) and isinstance(kept, list):
        return len(kept) == len(sent) and all(map(holds, kept, sent))
    return bool(kept == sent)


def run_strictly(*arguments: str, **files: Any) -> tuple[Run, list[PydanticMessage]]:
    """Runs the program and loads each line strictly."""
    done = run_program(*arguments, **files)
    return done, [load_strictly(line) for line in done.lines]
