#!/usr/bin/env bash
# Works off a list of dead letters in Redis, one at a time, oldest first. Usage: redis-worker.sh NAME     (the list is dead:NAME)
# LMOVE takes a letter from the list and puts it on this host's own list in one step, so a worker that is killed after that loses
# nothing: what it had taken goes back first when it starts again. `replay -` appends the letter to this host's dead-letter
# file before it runs it; from then on the file holds it, however the replay ends.
set -uo pipefail
queue=dead:${1:?usage: redis-worker.sh NAME}
mine=$queue:$(uname -n)
redis() { redis-cli --raw ${REDIS_ARGS:-} "$@"; }

while [ -n "$(redis LMOVE "$mine" "$queue" LEFT RIGHT)" ]; do :; done

replayed=0 failed=0
while letter=$(redis LMOVE "$queue" "$mine" RIGHT LEFT) && [ -n "$letter" ]; do
  status=0
  printf '%s\n' "$letter" | retryctl dead-letter replay - --yes --other-host || status=$?
  case $status in
    0) replayed=$((replayed + 1)) ;;
    # It failed again, or was closed or begun before: this host's file has it, with its history, for a person to look at.
    1 | 66) failed=$((failed + 1)) ;;
    # Nothing was done: it stays on this host's list for the next start.
    *) exit "$status" ;;
  esac
  redis LPOP "$mine" >/dev/null
done
echo "$replayed replayed, $failed to look at: retryctl dead-letter list"
