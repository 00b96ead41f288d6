"""What the environment says of the model's service; what a caller names goes before it."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class ServiceSettings(BaseSettings):
    """`OPENAI_BASE_URL`, `OPENAI_API_KEY` and `REHYDRATE_MODEL`; an empty variable counts as not set."""

    model_config = SettingsConfigDict(frozen=True, env_ignore_empty=True, extra="ignore")

    base_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")
    api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    model: str | None = Field(default=None, validation_alias="REHYDRATE_MODEL")
