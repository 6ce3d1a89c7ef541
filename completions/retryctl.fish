# fish completion for retryctl(1)
# Generated from the table of options: RETRY_BLESS=1 cargo test --test all docs::

# Whether the verb is this one.
function __retryctl_verb
    set -l words (commandline -opc)
    set -e words[1]
    test "$words[1]" = dl
    and set words[1] dead-letter
    string match -q -- "$argv *" "$words "
end

# Whether the verb still lacks a word after these.
function __retryctl_after
    test (count (commandline -opc)) -eq (math (count $argv) + 1)
    and begin
        not set -q argv[1]
        or __retryctl_verb $argv
    end
end

complete -c retryctl -f
complete -c retryctl -n __retryctl_after -a dead-letter -d 'records of runs that ended badly'
complete -c retryctl -n __retryctl_after -a stats -d 'per job: runs, success rates, commonest error'
complete -c retryctl -n __retryctl_after -a preset -d 'what the exit statuses of common tools mean'
complete -c retryctl -n __retryctl_after -a dl -d 'short for dead-letter'
complete -c retryctl -s h -d 'print one screen of help and exit'
complete -c retryctl -l help -d 'print all options and exit'
complete -c retryctl -s V -l version -d 'print the version and exit'

complete -c retryctl -n '__retryctl_after dead-letter' -a list -d 'list open letters, oldest first'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l job -x -d 'of this job'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l state -x -a '(__fish_append , dead replaying in_doubt replayed discarded poison)' -d 'in these states'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l since -x -d 'younger than this'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l until -x -d 'older than this'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l exit -x -a '(__fish_append , EX_USAGE EX_DATAERR EX_NOINPUT EX_NOUSER EX_NOHOST EX_UNAVAILABLE EX_SOFTWARE EX_OSERR EX_OSFILE EX_CANTCREAT EX_IOERR EX_TEMPFAIL EX_PROTOCOL EX_NOPERM EX_CONFIG)' -d 'whose last exit status is one of these'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l ending -x -a 'permanent exhausted deadline retry_after_too_long interrupted' -d 'that ended so'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l grep -x -d 'whose job, arguments or error text match'
complete -c retryctl -n '__retryctl_verb dead-letter list' -s n -l count -x -d 'only the newest N'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l format -x -a 'table jsonl ids' -d 'table, jsonl or ids'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l reveal -d 'show secrets, recorded variables and stored input'
complete -c retryctl -n '__retryctl_verb dead-letter list' -l file -r -F -d 'this dead-letter file; may be repeated'

complete -c retryctl -n '__retryctl_after dead-letter' -a show -d 'show all that is known of a letter'
complete -c retryctl -n '__retryctl_verb dead-letter show' -l json -d 'print the record as JSON'
complete -c retryctl -n '__retryctl_verb dead-letter show' -l shell -d 'print a line for the shell that runs the command as it was run'
complete -c retryctl -n '__retryctl_verb dead-letter show' -l reveal -d 'show secrets, recorded variables and stored input'
complete -c retryctl -n '__retryctl_verb dead-letter show' -l file -r -F -d 'this dead-letter file; may be repeated'
complete -c retryctl -n '__retryctl_verb dead-letter show' -a '(retryctl dead-letter list --format ids 2>/dev/null)'

complete -c retryctl -n '__retryctl_after dead-letter' -a replay -d 'run letters again'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l all -d 'every open letter that is neither in doubt nor poison'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l job -x -d 'of this job'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l state -x -a '(__fish_append , dead replaying in_doubt replayed discarded poison)' -d 'in these states'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l since -x -d 'younger than this'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l until -x -d 'older than this'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l exit -x -a '(__fish_append , EX_USAGE EX_DATAERR EX_NOINPUT EX_NOUSER EX_NOHOST EX_UNAVAILABLE EX_SOFTWARE EX_OSERR EX_OSFILE EX_CANTCREAT EX_IOERR EX_TEMPFAIL EX_PROTOCOL EX_NOPERM EX_CONFIG)' -d 'whose last exit status is one of these'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l ending -x -a 'permanent exhausted deadline retry_after_too_long interrupted' -d 'that ended so'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l grep -x -d 'whose job, arguments or error text match'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l max-tries -x -d 'attempts of each replay'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l rate -x -d 'at most so many replays: 2/s, 10/m or 100/h'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l stop-after -x -d 'stop after N failed replays in a row'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l newest -d 'run only the newest of each group, discard the rest'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l in-doubt -d 'also letters whose replay was cut off'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l poison -d 'also letters of which three replays failed'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l dry-run -d 'say what would be run, and run nothing'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l other-host -d 'also letters that another host wrote'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l changed-input -d 'also if the input file is no longer as it was'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l stdin -r -F -d 'give this file as input; null is /dev/null'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l env-file -r -F -d 'set the variables in FILE, NAME=VALUE a line'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l yes -d 'do not ask'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -l file -r -F -d 'this dead-letter file; may be repeated'
complete -c retryctl -n '__retryctl_verb dead-letter replay' -a '(retryctl dead-letter list --format ids 2>/dev/null)'

complete -c retryctl -n '__retryctl_after dead-letter' -a discard -d 'put letters away that need no replay'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l all -d 'every open letter that is neither in doubt nor poison'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l job -x -d 'of this job'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l state -x -a '(__fish_append , dead replaying in_doubt replayed discarded poison)' -d 'in these states'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l since -x -d 'younger than this'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l until -x -d 'older than this'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l exit -x -a '(__fish_append , EX_USAGE EX_DATAERR EX_NOINPUT EX_NOUSER EX_NOHOST EX_UNAVAILABLE EX_SOFTWARE EX_OSERR EX_OSFILE EX_CANTCREAT EX_IOERR EX_TEMPFAIL EX_PROTOCOL EX_NOPERM EX_CONFIG)' -d 'whose last exit status is one of these'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l ending -x -a 'permanent exhausted deadline retry_after_too_long interrupted' -d 'that ended so'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l grep -x -d 'whose job, arguments or error text match'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l reason -x -d 'why, for the record'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l yes -d 'do not ask'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -l file -r -F -d 'this dead-letter file; may be repeated'
complete -c retryctl -n '__retryctl_verb dead-letter discard' -a '(retryctl dead-letter list --format ids 2>/dev/null)'

complete -c retryctl -n '__retryctl_after dead-letter' -a restore -d 'make discarded letters open again'
complete -c retryctl -n '__retryctl_verb dead-letter restore' -l yes -d 'do not ask'
complete -c retryctl -n '__retryctl_verb dead-letter restore' -l file -r -F -d 'this dead-letter file; may be repeated'
complete -c retryctl -n '__retryctl_verb dead-letter restore' -a '(retryctl dead-letter list --format ids 2>/dev/null)'

complete -c retryctl -n '__retryctl_after dead-letter' -a purge -d 'delete old letters that are replayed or discarded'
complete -c retryctl -n '__retryctl_verb dead-letter purge' -l older-than -x -d 'purge what is older; needed'
complete -c retryctl -n '__retryctl_verb dead-letter purge' -l state -x -a '(__fish_append , dead in_doubt replayed discarded poison all)' -d 'purge letters in these states, or all'
complete -c retryctl -n '__retryctl_verb dead-letter purge' -l yes -d 'do not ask'
complete -c retryctl -n '__retryctl_verb dead-letter purge' -l file -r -F -d 'this dead-letter file; may be repeated'

complete -c retryctl -n '__retryctl_after dead-letter' -a stats -d 'count letters: how many, how old, of what'
complete -c retryctl -n '__retryctl_verb dead-letter stats' -l by -x -a 'job ending exit' -d 'count by job, ending or exit'
complete -c retryctl -n '__retryctl_verb dead-letter stats' -l format -x -a 'table json' -d 'table or json'
complete -c retryctl -n '__retryctl_verb dead-letter stats' -l file -r -F -d 'this dead-letter file; may be repeated'

complete -c retryctl -n '__retryctl_after dead-letter' -a check -d 'for monitoring: exit 0, 1 or 2 by their number'
complete -c retryctl -n '__retryctl_verb dead-letter check' -l warn -x -d 'warning from this many open letters on'
complete -c retryctl -n '__retryctl_verb dead-letter check' -l crit -x -d 'critical from this many open letters on'
complete -c retryctl -n '__retryctl_verb dead-letter check' -l max-age -x -d 'critical if the oldest open letter is older'
complete -c retryctl -n '__retryctl_verb dead-letter check' -l file -r -F -d 'this dead-letter file; may be repeated'

complete -c retryctl -n '__retryctl_after dead-letter' -a verify -d 'name the lines that cannot be read'
complete -c retryctl -n '__retryctl_verb dead-letter verify' -l file -r -F -d 'this dead-letter file; may be repeated'

complete -c retryctl -n '__retryctl_after dead-letter' -a path -d 'print the file that would be used'
complete -c retryctl -n '__retryctl_verb dead-letter path' -l file -r -F -d 'this dead-letter file; may be repeated'

complete -c retryctl -n '__retryctl_verb stats' -l metrics-dir -x -a '(__fish_complete_directories)' -d 'where runs are counted; needed'
complete -c retryctl -n '__retryctl_verb stats' -l by -x -a 'job error' -d 'by job, or by class of error across jobs'
complete -c retryctl -n '__retryctl_verb stats' -l format -x -a 'table json' -d 'table or json'
complete -c retryctl -n '__retryctl_verb stats' -l file -r -F -d 'this dead-letter file; may be repeated'

complete -c retryctl -n '__retryctl_after preset' -a list -d 'name the presets'

complete -c retryctl -n '__retryctl_after preset' -a show -d 'print the rules of a preset and where they come from'
complete -c retryctl -n '__retryctl_after preset show' -a 'sysexits qmail curl wget rsync ssh git aws psql pg_dump docker kubectl apt pip npm restic borg rclone s3cmd ansible'
