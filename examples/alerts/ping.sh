#!/bin/sh
# A ping of the healthchecks.io kind. Silence is an alarm too: the service tells you when neither ping came in time.
: "${PING_URL:?set PING_URL}"
exec retry --job "$1" \
  --on-success 'curl -fsS --max-time 10 --retry 3 -o /dev/null "$PING_URL"' \
  --on-failure 'curl -fsS --max-time 10 --retry 3 -o /dev/null --data-binary @- "$PING_URL/$RETRY_EXIT"' \
  -- "$@"
