#!/bin/sh
# A webhook when a job failed for good: the record is posted as it is, secrets masked.
: "${WEBHOOK_URL:?set WEBHOOK_URL}"
exec retry --job "$1" --on-failure 'curl -fsS --max-time 10 -H "Content-Type: application/json" --data-binary @- -o /dev/null "$WEBHOOK_URL"' -- "$@"
