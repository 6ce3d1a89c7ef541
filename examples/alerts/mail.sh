#!/bin/sh
# Mail when a job failed for good. The text of the mail is the record: the command, its attempts, its last error, secrets masked.
exec retry --job "$1" --on-failure 'jq . | mail -s "$RETRY_JOB failed: $RETRY_ENDING after $RETRY_ATTEMPTS attempts" ops@example.org' -- "$@"
