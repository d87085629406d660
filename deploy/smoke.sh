#!/bin/sh
# The smoke test against a running service: deploy/smoke.sh URL [--public] [--expect-version V] [--paper REF] [--log FILE]
set -eu
program=$(dirname "$0")/../.venv/bin/paperdesk
[ -x "$program" ] || program=paperdesk
exec "$program" smoke --url "$@"
