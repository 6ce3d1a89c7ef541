#!/bin/sh
# A failed state in PostgreSQL: the table `jobs` has the columns name, state, attempts and letter. Where the database is comes from PGHOST,
# PGDATABASE and the like. Values go through psql's variables, so no name can break the statement.
exec retry --job "$1" --on-failure 'psql -X -q -v ON_ERROR_STOP=1 -v job="$RETRY_JOB" -v attempts="$RETRY_ATTEMPTS" -v letter="$RETRY_DEAD_LETTER_ID" <<SQL
update jobs set state = '\''failed'\'', attempts = :attempts, letter = :'\''letter'\'' where name = :'\''job'\'';
SQL' -- "$@"
