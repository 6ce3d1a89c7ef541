# fish completion for retry(1)
# Generated from the table of options: RETRY_BLESS=1 cargo test --test all docs::

# Prints the words of the wrapped command, if it has begun.
function __retry_command
    set -l words (commandline -opc) (commandline -ct)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --
                set -e words[1]
                break
            case --max-tries -n --base --cap --factor --backoff --delays --jitter --splay --max-elapsed --reset-after --seed --timeout -t --signal -s --kill-after -k --retry-on-exit --fail-on-exit --succeed-on-exit --retry-on-signal --fail-on-signal --retry-on-output --fail-on-output --until-output --preset --stdin --stdin-max --output --hints --retry-after-max --dead-letter --job --idempotency-key --record-env --record-stdin --redact --report --log-format --log-file --ci --ci-output --metrics-dir --on-retry --on-failure --on-success --hook-timeout --hook-record '-[qv]*[ntsk]'
                set -e words[1]
            case '-?*'
            case '*'
                break
        end
        set -e words[1]
    end
    string join -- \n $words
end

# Whether the word at hand still belongs to retry: the command has not begun, or begins here.
function __retry_at_options
    set -l command (__retry_command)
    test (count $command) -le 1
    and not contains -- -- (commandline -opc)
end

# Completes the wrapped command.
function __retry_complete_command
    set -l command (__retry_command)
    set -q command[1]
    and complete "--do-complete=$command"
end

complete -c retry -f
complete -c retry -x -a '(__retry_complete_command)'
complete -c retry -n __retry_at_options -s n -l max-tries -x -d 'attempts in all, at least 1, or unlimited'
complete -c retry -n __retry_at_options -l base -x -d 'scale of the delays'
complete -c retry -n __retry_at_options -l cap -x -d 'largest ceiling of a delay'
complete -c retry -n __retry_at_options -l factor -x -d 'growth of the exponential backoff, at least 1'
complete -c retry -n __retry_at_options -l backoff -x -a 'exponential linear constant' -d 'how the ceiling grows: exponential, linear or constant'
complete -c retry -n __retry_at_options -l delays -x -d 'the delays themselves: 1s,5s,30s,5m'
complete -c retry -n __retry_at_options -l jitter -x -a 'full equal decorrelated none' -d 'how a delay is drawn: full, equal, decorrelated or none'
complete -c retry -n __retry_at_options -l splay -x -d 'random wait before the first attempt, up to DUR'
complete -c retry -n __retry_at_options -l max-elapsed -x -d 'no attempt begins after this time'
complete -c retry -n __retry_at_options -l reset-after -x -d 'an attempt that ran this long starts the count anew'
complete -c retry -n __retry_at_options -l seed -x -d 'make the random draws repeatable'
complete -c retry -n __retry_at_options -s t -l timeout -x -d 'limit of one attempt; 0 means none'
complete -c retry -n __retry_at_options -s s -l signal -x -a 'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS' -d 'first signal of the time limit'
complete -c retry -n __retry_at_options -s k -l kill-after -x -d 'time from that signal to KILL'
complete -c retry -n __retry_at_options -l foreground -d 'keep the command in the process group of retry'
complete -c retry -n __retry_at_options -l preserve-status -d 'after a timeout exit as the command did'
complete -c retry -n __retry_at_options -l retry-on-exit -x -a '(__fish_append , EX_USAGE EX_DATAERR EX_NOINPUT EX_NOUSER EX_NOHOST EX_UNAVAILABLE EX_SOFTWARE EX_OSERR EX_OSFILE EX_CANTCREAT EX_IOERR EX_TEMPFAIL EX_PROTOCOL EX_NOPERM EX_CONFIG)' -d 'these exit statuses are retryable'
complete -c retry -n __retry_at_options -l fail-on-exit -x -a '(__fish_append , EX_USAGE EX_DATAERR EX_NOINPUT EX_NOUSER EX_NOHOST EX_UNAVAILABLE EX_SOFTWARE EX_OSERR EX_OSFILE EX_CANTCREAT EX_IOERR EX_TEMPFAIL EX_PROTOCOL EX_NOPERM EX_CONFIG)' -d 'these exit statuses are permanent'
complete -c retry -n __retry_at_options -l succeed-on-exit -x -a '(__fish_append , EX_USAGE EX_DATAERR EX_NOINPUT EX_NOUSER EX_NOHOST EX_UNAVAILABLE EX_SOFTWARE EX_OSERR EX_OSFILE EX_CANTCREAT EX_IOERR EX_TEMPFAIL EX_PROTOCOL EX_NOPERM EX_CONFIG)' -d 'these exit statuses are success, besides 0'
complete -c retry -n __retry_at_options -l retry-on-signal -x -a '(__fish_append , HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS)' -d 'death by one of these signals is retryable'
complete -c retry -n __retry_at_options -l fail-on-signal -x -a '(__fish_append , HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS)' -d 'death by one of these signals is permanent'
complete -c retry -n __retry_at_options -l fail-on-timeout -d 'a timed-out attempt is permanent'
complete -c retry -n __retry_at_options -l retry-on-output -x -d 'an attempt that prints a matching line is retryable'
complete -c retry -n __retry_at_options -l fail-on-output -x -d 'an attempt that prints a matching line is permanent'
complete -c retry -n __retry_at_options -l until-output -x -d 'retryable until a line matches, even if it exits 0'
complete -c retry -n __retry_at_options -l preset -x -a 'sysexits qmail curl wget rsync ssh git aws psql pg_dump docker kubectl apt pip npm restic borg rclone s3cmd ansible' -d 'what the statuses of a common tool mean'
complete -c retry -n __retry_at_options -l stdin -x -a 'auto inherit replay null' -d 'what each attempt finds on standard input'
complete -c retry -n __retry_at_options -l stdin-max -x -d 'how much input is kept for later attempts'
complete -c retry -n __retry_at_options -l output -x -a 'live inherit final on-failure' -d 'live, inherit, final or on-failure'
complete -c retry -n __retry_at_options -l hints -x -a '(__fish_append , http file)' -d 'learn from the command\'s output, or from a file'
complete -c retry -n __retry_at_options -l retry-after-max -x -d 'longest wait that a server may ask for'
complete -c retry -n __retry_at_options -l ignore-retry-after -d 'wait as without a hint'
complete -c retry -n __retry_at_options -l dead-letter -r -F -d 'where the record of a run that failed goes'
complete -c retry -n __retry_at_options -l no-dead-letter -d 'keep no record'
complete -c retry -n __retry_at_options -l job -x -d 'name of the job in records, metrics and messages'
complete -c retry -n __retry_at_options -l idempotency-key -x -d 'RETRY_IDEMPOTENCY_KEY for every attempt and replay'
complete -c retry -n __retry_at_options -l record-env -x -a '(__fish_append , (set -nx))' -d 'variables that a replay needs'
complete -c retry -n __retry_at_options -l record-stdin -x -d 'how much input a dead letter may hold'
complete -c retry -n __retry_at_options -l redact -x -d 'hide what matches wherever a run is shown'
complete -c retry -n __retry_at_options -l report -r -F -d 'write the record of every run, good or bad'
complete -c retry -n __retry_at_options -l report-full -d 'do not redact the report'
complete -c retry -n __retry_at_options -s q -l quiet -d 'say only errors and the end of a bad run'
complete -c retry -n __retry_at_options -s v -l verbose -d 'say when each attempt starts and ends'
complete -c retry -n __retry_at_options -l log-format -x -a 'text json' -d 'text, or json: one object a line'
complete -c retry -n __retry_at_options -l log-file -r -F -d 'append messages to FILE instead of stderr'
complete -c retry -n __retry_at_options -l ci -x -a 'auto github gitlab none' -d 'groups and annotations of a CI system'
complete -c retry -n __retry_at_options -l ci-output -x -d 'set step outputs whose names start with PREFIX'
complete -c retry -n __retry_at_options -l metrics-dir -x -a '(__fish_complete_directories)' -d 'count runs for Prometheus in DIR/retry_JOB.prom'
complete -c retry -n __retry_at_options -l on-retry -x -a '(__fish_complete_command)' -d 'run CMD before each delay'
complete -c retry -n __retry_at_options -l on-failure -x -a '(__fish_complete_command)' -d 'run CMD after a run that ended badly'
complete -c retry -n __retry_at_options -l on-success -x -a '(__fish_complete_command)' -d 'run CMD after a run that succeeded'
complete -c retry -n __retry_at_options -l hook-timeout -x -d 'limit of one hook'
complete -c retry -n __retry_at_options -l hook-record -x -a 'redacted full' -d 'whether hooks get secrets: redacted or full'
complete -c retry -n __retry_at_options -l plan -a 'text json' -d 'print the schedule and run nothing'
complete -c retry -n __retry_at_options -s h -d 'print one screen of help and exit'
complete -c retry -n __retry_at_options -l help -d 'print all options and exit'
complete -c retry -n __retry_at_options -s V -l version -d 'print the version and exit'
