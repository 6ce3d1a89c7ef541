#!/usr/bin/env bash
# In a loop that reads a list. retry takes from the list no byte that its command did not read, so this works as it stands:
# a command that reads nothing leaves the rest of the list to the loop.
set -u
list=${1:?usage: while-read.sh LIST}
failed=0

while read -r host; do
  retry -q --job "ping $host" -n 3 -- ping-host "$host" || failed=$((failed + 1))
done <"$list"

# A command that does read its standard input (ssh does) would eat the list, as it would without retry: give it none.
while read -r host; do
  retry -q --job "uptime $host" -n 3 --stdin null -- remote "$host" uptime || failed=$((failed + 1))
done <"$list"

echo "$failed failed"
[ "$failed" = 0 ]
