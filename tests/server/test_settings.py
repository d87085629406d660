from typing import Any

import pytest

from core.errors import SettingsError
from server.setting_table import PREFIX, SETTINGS
from server.settings import Settings, parse_settings

KEY = "k" * 16
OTHER_KEY = "o" * 20


def problems(environment: dict[str, str], **more: Any) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        parse_settings(environment, **more)
    return caught.value.problems


def test_an_empty_environment_gives_the_defaults() -> None:
    settings = parse_settings({})
    assert (settings.host, settings.port, settings.public_url) == ("127.0.0.1", 7860, "http://127.0.0.1:7860")
    assert (settings.log_level, settings.toolsets, settings.catalog_url) == (
        "INFO",
        ("catalog", "references", "evidence", "scan", "connector"),
        "sample:",
    )
    assert (settings.read_chunk_bytes, settings.catalog_timeout_s, settings.embedder) == (32768, 25.0, "auto")
    assert settings.serve_api is False
    assert (settings.site_url, settings.cursor_keys) == ("https://paperswithcode.co", ())
    assert settings.allowed_origins.allows("https://claude.ai")


def test_every_default_in_the_table_is_a_good_value_and_every_field_has_a_row() -> None:
    for setting in SETTINGS:
        setting.parse(setting.default)
        assert setting.name.startswith(PREFIX)
    # Whether one user is served is said on the command line alone.
    by_table = set(Settings.__dataclass_fields__) - {"local"}
    assert {setting.group or setting.field for setting in SETTINGS} == by_table


def test_a_misspelt_variable_stops_the_start_with_the_nearest_name() -> None:
    # hosting A82 (part)
    assert problems({"PAPERDESK_PROT": "1", "PAPERDESK_XYZZY": "1", "OTHER": "1"}) == (
        "PAPERDESK_PROT is no setting. Did you mean PAPERDESK_PORT?",
        "PAPERDESK_XYZZY is no setting.",
    )


def test_all_problems_appear_together() -> None:
    found = problems(
        {
            "PAPERDESK_PORT": "70000",
            "PAPERDESK_LOG_LEVEL": "loud",
            "PAPERDESK_READ_CHUNK_BYTES": "1023",
            "PAPERDESK_CATALOG_TIMEOUT_S": "nan",
            "PAPERDESK_TOOLSETS": "catalog,scans",
            "PAPERDESK_CATALOG_URL": "/srv/catalog",
            "PAPERDESK_SITE_URL": "http://example.org",
            "PAPERDESK_EMBEDDER": "https://example.org/v1",
            "PAPERDESK_HOST": "not a host",
            "PAPERDESK_CURSOR_KEYS": "short-secret",
        }
    )
    assert [problem.partition(":")[0].removeprefix(PREFIX) for problem in found] == [
        "HOST",
        "PORT",
        "LOG_LEVEL",
        "TOOLSETS",
        "CATALOG_URL",
        "CURSOR_KEYS",
        "READ_CHUNK_BYTES",
        "CATALOG_TIMEOUT_S",
        "EMBEDDER",
        "SITE_URL",
    ]
    assert "short-secret" not in "".join(found)


@pytest.mark.parametrize(
    ("alias", "value", "field", "parsed"),
    [
        ("PORT", "9000", "port", 9000),
        ("LOG_LEVEL", "debug", "log_level", "DEBUG"),
        ("PWC_MCP_HOST", "::1", "host", "::1"),
        ("PWC_API_URL", "file:/srv/catalog", "catalog_url", "file:/srv/catalog"),
    ],
)
def test_aliases_work_and_may_repeat_the_same_value(alias: str, value: str, field: str, parsed: Any) -> None:
    # hosting A69 (part)
    own = PREFIX + field.upper()
    assert getattr(parse_settings({alias: value}), field) == parsed
    assert getattr(parse_settings({alias: value, own: value}), field) == parsed


def test_an_alias_that_contradicts_its_setting_is_a_problem() -> None:
    assert problems({"PORT": "9000", "PAPERDESK_PORT": "9001"}) == (
        "PAPERDESK_PORT and PORT are both set, to different values; keep one.",
    )


def test_the_command_line_wins_over_the_environment() -> None:
    assert parse_settings({"PORT": "9000", "PAPERDESK_PORT": "9001"}, overrides={"port": "9002"}).port == 9002


def test_cursor_key_aliases_are_previous_then_current() -> None:
    both = {"PWC_MCP_CURSOR_KEY_CURRENT": KEY, "PWC_MCP_CURSOR_KEY_PREVIOUS": OTHER_KEY}
    assert parse_settings(both).cursor_keys == (OTHER_KEY, KEY)
    assert parse_settings({"PWC_MCP_CURSOR_KEY_CURRENT": KEY}).cursor_keys == (KEY,)
    assert parse_settings({"PAPERDESK_CURSOR_KEYS": f"{OTHER_KEY}, {KEY}"}).cursor_keys == (OTHER_KEY, KEY)


def test_a_secret_may_come_from_a_file_and_is_in_no_repr() -> None:
    # hosting A83 (part)
    settings = parse_settings(
        {"PAPERDESK_CURSOR_KEYS_FILE": "/run/keys"}, read_file=lambda path: f"{OTHER_KEY}\n{KEY}\n"
    )
    assert settings.cursor_keys == (OTHER_KEY, KEY)
    assert KEY not in repr(settings)
    assert "cursor_keys" not in repr(settings)


def test_a_secret_given_twice_or_in_a_missing_file_is_a_problem() -> None:
    def missing(path: str) -> str:
        raise FileNotFoundError(path)

    environment = {"PAPERDESK_CURSOR_KEYS": KEY, "PAPERDESK_CURSOR_KEYS_FILE": "/run/keys"}
    assert problems(environment, read_file=missing) == (
        "PAPERDESK_CURSOR_KEYS and PAPERDESK_CURSOR_KEYS_FILE are both set; keep one.",
        "PAPERDESK_CURSOR_KEYS_FILE names a file that cannot be read: /run/keys.",
    )


def test_only_secrets_have_a_file_variant() -> None:
    assert problems({"PAPERDESK_PORT_FILE": "/run/port"}) == (
        "PAPERDESK_PORT_FILE is no setting. Did you mean PAPERDESK_PORT?",
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "desk.example.org"])
def test_an_exposed_address_needs_a_public_url_and_cursor_keys(host: str) -> None:
    # hosting A71 (part)
    found = problems({"PAPERDESK_HOST": host})
    assert [problem.partition(" ")[0] for problem in found] == ["PAPERDESK_PUBLIC_URL", "PAPERDESK_CURSOR_KEYS"]
    whole = {
        "PAPERDESK_HOST": host,
        "PAPERDESK_PUBLIC_URL": "https://desk.example.org/mcp-desk/",
        "PAPERDESK_CURSOR_KEYS": KEY,
    }
    settings = parse_settings(whole)
    assert (settings.public_url, settings.prefix) == ("https://desk.example.org/mcp-desk", "/mcp-desk")
    assert settings.allowed_hosts.allows("desk.example.org")
    assert parse_settings({"PAPERDESK_HOST": host}, serving=False).host == host


@pytest.mark.parametrize(
    "origin", ["*", "https://*.example.org", "https://example.org/path", "", "null", "example.org"]
)
def test_an_origin_list_with_anything_but_origins_stops_the_start(origin: str) -> None:
    # hosting A42
    found = problems({"PAPERDESK_ALLOWED_ORIGINS": f"default,{origin},https://good.example.org"})
    assert found == (
        f"PAPERDESK_ALLOWED_ORIGINS: '{origin}' is no origin; write scheme://host or scheme://host:port, or the word"
        " default.",
    )


@pytest.mark.parametrize("url", ["https://ex\u00e4mple.org", "https://example.org/a b", "https://example.org/<x>"])
def test_a_public_url_that_no_client_sends_so_stops_the_start(url: str) -> None:
    found = problems({"PAPERDESK_PUBLIC_URL": url})
    assert found == (
        "PAPERDESK_PUBLIC_URL: write it in ASCII as a client sends it: names in their xn-- form, other characters"
        " percent-encoded.",
    )


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("https://my.example.org:443", "https://my.example.org"),
        ("http://my.example.org:80", "http://my.example.org"),
        ("https://my.example.org:80", "https://my.example.org:80"),
        ("http://my.example.org:443", "http://my.example.org:443"),
        ("https://my.example.org:8443", "https://my.example.org:8443"),
    ],
)
def test_an_origin_counts_as_a_browser_sends_it(written: str, sent: str) -> None:
    assert parse_settings({"PAPERDESK_ALLOWED_ORIGINS": written}).allowed_origins.allows(sent)
    if written.startswith("https:"):
        assert parse_settings({"PAPERDESK_PUBLIC_URL": written}).allowed_origins.allows(sent)


@pytest.mark.parametrize("host", ["*", "*.example.org", "a:b", ""])
def test_a_host_list_with_a_wildcard_name_stops_the_start(host: str) -> None:
    found = problems({"PAPERDESK_ALLOWED_HOSTS": f"good.example.org,{host}"})
    assert found == (f"PAPERDESK_ALLOWED_HOSTS: '{host}' is no host; write name, name:port or name:*.",)


def test_an_origin_list_without_default_replaces_the_shipped_one() -> None:
    origins = parse_settings({"PAPERDESK_ALLOWED_ORIGINS": "https://my.example.org"}).allowed_origins
    assert origins.allows("https://my.example.org")
    assert origins.allows("http://127.0.0.1:7860")
    assert not origins.allows("https://claude.ai")


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org", "http://example.org", "https://u:p@example.org", "https://example.org?x=1", "file:", "x"],
)
def test_a_catalog_address_of_another_form_is_refused(url: str) -> None:
    assert problems({"PAPERDESK_CATALOG_URL": url})[0].startswith("PAPERDESK_CATALOG_URL: ")


def test_a_web_catalog_address_loses_its_trailing_slash() -> None:
    assert parse_settings({"PWC_API_URL": "https://example.org/api/v1/"}).catalog_url == "https://example.org/api/v1"
    assert parse_settings({"PWC_API_URL": "http://localhost:8000/api/v1"}).catalog_url == "http://localhost:8000/api/v1"


def test_a_switch_is_true_or_false() -> None:
    assert parse_settings({"PAPERDESK_SERVE_API": "TRUE"}).serve_api is True
    assert problems({"PAPERDESK_SERVE_API": "yes"}) == ("PAPERDESK_SERVE_API: write true or false.",)


def test_a_deployment_says_whose_it_is_and_where_its_source_lies() -> None:
    assert (parse_settings({}).namespace, parse_settings({}).repository_url) == ("org.paperdesk", "")
    given = {
        "PAPERDESK_NAMESPACE": "io.github.Someone-1",
        "PAPERDESK_REPOSITORY_URL": "https://github.com/someone/desk/",
    }
    settings = parse_settings(given)
    assert (settings.namespace, settings.repository_url) == ("io.github.Someone-1", "https://github.com/someone/desk")


@pytest.mark.parametrize(
    "namespace", ["paperdesk", "org.", ".org", "org..x", "org.-x", "org/x", "org.x y", "a." + "b" * 149]
)
def test_a_namespace_is_a_reverse_domain_name(namespace: str) -> None:
    assert problems({"PAPERDESK_NAMESPACE": namespace}) == (
        "PAPERDESK_NAMESPACE: write a reverse domain name, such as org.example.",
    )


def test_a_repository_has_a_web_address() -> None:
    assert problems({"PAPERDESK_REPOSITORY_URL": "git@example.org:desk"}) == (
        "PAPERDESK_REPOSITORY_URL: write an https address without user, query or fragment; plain http is for loopback"
        " only.",
    )
