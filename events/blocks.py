"""What a message is made of, provider-neutral; long values may be references into the native record or the blob store.

A reference is a plain JSON object so that it survives storage unchanged:
`{"$ref": ["message", "content", 0, "text"]}` is the value at that path of the event's native record,
`{"$blob": "<sha256 hex>"}` the UTF-8 text of a stored blob. `rehydrate.events.references` resolves them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """A closed, immutable model."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Ref(Frozen):
    """The value at a path of the event's native record."""

    path: tuple[str | int, ...] = Field(alias="$ref")

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


class BlobRef(Frozen):
    """Text stored once by the SHA-256 of its UTF-8 bytes."""

    digest: str = Field(alias="$blob")

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


Text = str | Ref | BlobRef
"""A text, or where it is stored."""

Json = Any
"""Any JSON value, or a reference to one. Arguments and structured results have the shape that their tool gives them."""


class TextBlock(Frozen):
    type: Literal["text"] = "text"
    text: Text


class ThinkingBlock(Frozen):
    """Reasoning. `signature` is what its issuer needs to accept it again: Anthropic's signature or OpenAI's encrypted content.

    `redacted` marks Anthropic's redacted thinking (no readable text). `item_id` is OpenAI's id of the reasoning item.
    """

    type: Literal["thinking"] = "thinking"
    thinking: Text = ""
    signature: Text | None = None
    redacted: bool = False
    item_id: str | None = None


class ImageBlock(Frozen):
    """A picture: base64 `data` with its media type, or a `url`."""

    type: Literal["image"] = "image"
    media_type: str | None = None
    data: Text | None = None
    url: Text | None = None


class DocumentBlock(Frozen):
    """A document such as a PDF: base64 `data` or plain text in `text`."""

    type: Literal["document"] = "document"
    media_type: str | None = None
    data: Text | None = None
    text: Text | None = None
    title: str | None = None
    url: Text | None = None


class ToolUseBlock(Frozen):
    """A call inside a restored message; `input` is an object, or the raw text for tools that take text."""

    type: Literal["tool_use"] = "tool_use"
    id: str
    name: str
    input: Json = None
    call_type: str = "function"


class ToolResultBlock(Frozen):
    """The answer to the call `tool_use_id`; `content` is a text or a list of blocks. `synthesized`: a repair put it there."""

    type: Literal["tool_result"] = "tool_result"
    tool_use_id: str
    content: Text | list[Block]
    is_error: bool = False
    synthesized: bool = False


class OtherBlock(Frozen):
    """A block of a type we do not know, as it was."""

    type: Literal["other"] = "other"
    native_type: str | None = None
    value: Json = None


Block = Annotated[
    TextBlock | ThinkingBlock | ImageBlock | DocumentBlock | ToolUseBlock | ToolResultBlock | OtherBlock,
    Field(discriminator="type"),
]

ToolResultBlock.model_rebuild()
