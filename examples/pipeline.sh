#!/usr/bin/env bash
# In a pipeline. The database is read once: each attempt of the upload gets the same bytes on its standard input, up to
# --stdin-max (1 GiB; what is beyond 1 MiB waits in a file in TMPDIR). `pipefail` makes the status of pg_dump count too.
set -euo pipefail
database=${1:?usage: pipeline.sh DATABASE}

pg_dump --format=custom "$database" | retry --job upload -n 5 --timeout 10m -- upload "$database.dump"

# At the start of one, `--output final` lets through only the output of the attempt that succeeded, whole: what failed attempts
# printed goes to stderr, and jq never sees half an answer followed by another.
retry --job rates -n 5 --output final -- fetch-rates | jq -r '.rates | to_entries[] | "\(.key) \(.value)"'
