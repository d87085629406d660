"""A plan for the documents, which the sample catalog has papers for."""

from collections.abc import Mapping
from typing import Any

EXAMPLE_SCAN_ID = "7d9f1c52-3a5e-4b1f-9c0d-2f6a81e4b7c3"

EXAMPLE_PLAN: Mapping[str, Any] = {
    "brief_summary": "Purpose: orient. What is known of how language models learn from examples in their prompt.",
    "domain": "cs",
    "window": {"from": "2017-01"},
    "sub_criteria": [
        {"id": "C1", "name": "few examples", "text": "Measures what a model does with few or no examples of a task."},
        {"id": "C2", "name": "architecture", "text": "Says which part of the model's architecture makes it possible."},
        {"id": "C3", "name": "scale", "text": "Relates the ability to the size of model or data."},
    ],
    "queries": [
        {"id": "Q1", "type": "direct", "text": "few-shot learning language models"},
        {"id": "Q2", "type": "terminology", "text": "in-context learning prompting"},
        {"id": "Q3", "type": "mechanism", "text": "attention transformer architecture"},
        {"id": "Q4", "type": "method", "text": "pre-training transfer learning text"},
        {"id": "Q5", "type": "contradictory", "text": "limits of scaling language models"},
        {"id": "Q6", "type": "review", "text": "survey large language models"},
    ],
}
