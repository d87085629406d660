"""What the settings of a deployment make the documents say."""

from server.bootstrap import facts_of
from server.pages.facts import Facts
from server.settings import parse_settings


def test_the_defaults_are_an_open_service_with_the_anonymous_budgets() -> None:
    assert facts_of(parse_settings({})) == Facts(
        public_url="http://127.0.0.1:7860",
        namespace="org.paperdesk",
        repository=None,
        anonymous=True,
        has_keys=False,
        limits={
            "per_minute": 60,
            "catalog_semantic_per_minute": 10,
            "semantic_per_minute": 6,
            "semantic_daily": 50,
            "concurrent": 4,
            "global": 128,
        },
    )


def test_the_limits_are_those_in_force() -> None:
    facts = facts_of(
        parse_settings(
            {
                "PAPERDESK_LIMIT_PER_MINUTE": "7",
                "PAPERDESK_KEY_LIMIT_PER_MINUTE": "8",
                "PAPERDESK_LIMIT_GLOBAL_CONCURRENT": "9",
                "PAPERDESK_SERVE_API": "true",
                "PAPERDESK_LIMIT_API_PER_MINUTE": "11",
            }
        )
    )
    assert facts.limits == {
        "per_minute": 7,
        "catalog_semantic_per_minute": 10,
        "semantic_per_minute": 6,
        "semantic_daily": 50,
        "concurrent": 4,
        "api_per_minute": 11,
        "global": 9,
    }


def test_a_deployment_is_told_of_by_its_own_settings() -> None:
    facts = facts_of(
        parse_settings(
            {
                "PAPERDESK_PUBLIC_URL": "https://example.org/desk/",
                "PAPERDESK_NAMESPACE": "org.example",
                "PAPERDESK_REPOSITORY_URL": "https://github.com/example/desk",
                "PAPERDESK_ANONYMOUS": "false",
                "PAPERDESK_KEYS_FILE": "keys.jsonl",
            }
        )
    )
    assert (facts.namespace, facts.repository) == ("org.example", "https://github.com/example/desk")
    assert (facts.anonymous, facts.has_keys) == (False, True)
    assert (facts.url("/mcp"), facts.path("/mcp")) == ("https://example.org/desk/mcp", "/desk/mcp")
