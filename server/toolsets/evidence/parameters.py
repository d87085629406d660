"""Parameters that several evidence tools share (evidence contract, section 4)."""

from typing import Annotated

from pydantic import Field

Query = Annotated[str, Field(min_length=1, max_length=500, description='Words; "..." asks for adjacent ones')]
Limit = Annotated[int, Field(ge=1, le=50, description="Most rows")]
Year = Annotated[int, Field(ge=1500, le=2100)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
