#!/usr/bin/env bash
# What the gates need beside the locked Python packages. May be run again at any time; then it does nothing.
set -euo pipefail

# Debian packages, installed where this runs as root.
need() {
  local command=$1
  shift
  if command -v "$command" >/dev/null; then return; fi
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "The gates need $command: install $* with your system's package manager." >&2
    exit 1
  fi
  if [ -z "${updated:-}" ]; then
    apt-get update --quiet=2
    updated=yes
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends "$@"
}

# --- test_docs_page.py: a real browser, driven by the locked Python package ---
need chromium chromium fonts-liberation
