# bash completion for retry(1)
# Generated from the table of options: RETRY_BLESS=1 cargo test --test all docs::

# Completes one of the given words.
__retry_words() {
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
}

# Completes the last of several words with commas between them.
__retry_list() {
    local before=
    [[ $cur == *,* ]] && before=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${cur##*,}")
    compopt -o nospace
}

# Completes the value of an option.
_retry_value() {
    case $1 in
        --backoff)
            __retry_words exponential linear constant
            ;;
        --jitter)
            __retry_words full equal decorrelated none
            ;;
        --signal | -s)
            __retry_words HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
            ;;
        --retry-on-exit | --fail-on-exit | --succeed-on-exit)
            __retry_list EX_USAGE EX_DATAERR EX_NOINPUT EX_NOUSER EX_NOHOST EX_UNAVAILABLE EX_SOFTWARE EX_OSERR EX_OSFILE EX_CANTCREAT EX_IOERR EX_TEMPFAIL EX_PROTOCOL EX_NOPERM EX_CONFIG
            ;;
        --retry-on-signal | --fail-on-signal)
            __retry_list HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS
            ;;
        --preset)
            __retry_words sysexits qmail curl wget rsync ssh git aws psql pg_dump docker kubectl apt pip npm restic borg rclone s3cmd ansible
            ;;
        --stdin)
            __retry_words auto inherit replay null
            ;;
        --output)
            __retry_words live inherit final on-failure
            ;;
        --hints)
            __retry_list http file
            ;;
        --dead-letter | --report | --log-file)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            ;;
        --record-env)
            __retry_list "$(compgen -A export)"
            ;;
        --log-format | --plan)
            __retry_words text json
            ;;
        --ci)
            __retry_words auto github gitlab none
            ;;
        --metrics-dir)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            ;;
        --on-retry | --on-failure | --on-success)
            mapfile -t COMPREPLY < <(compgen -c -- "$cur")
            ;;
        --hook-record)
            __retry_words redacted full
            ;;
    esac
}

_retry() {
    local cur=${COMP_WORDS[COMP_CWORD]} i=1 value word
    COMPREPLY=()
    # The command is the first word that is neither an option nor the value of one.
    while ((i < COMP_CWORD)); do
        word=${COMP_WORDS[i]}
        case $word in
            --)
                ((i++))
                _retry_command "$i"
                return
                ;;
            --max-tries | -n | --base | --cap | --factor | --backoff | --delays | --jitter | --splay | --max-elapsed | --reset-after | --seed | --timeout | -t | --signal | -s | --kill-after | -k | --retry-on-exit | --fail-on-exit | --succeed-on-exit | --retry-on-signal | --fail-on-signal | --retry-on-output | --fail-on-output | --until-output | --preset | --stdin | --stdin-max | --output | --hints | --retry-after-max | --dead-letter | --job | --idempotency-key | --record-env | --record-stdin | --redact | --report | --log-format | --log-file | --ci | --ci-output | --metrics-dir | --on-retry | --on-failure | --on-success | --hook-timeout | --hook-record | -[qv]*[ntsk])
                value=$((i + 1))
                [[ ${COMP_WORDS[value]} == = ]] && ((value++))
                if ((value >= COMP_CWORD)); then
                    [[ $cur == = ]] && cur=
                    [[ $word == --* ]] || word=-${word: -1}
                    _retry_value "$word"
                    return
                fi
                i=$value
                ;;
            --plan)
                if [[ ${COMP_WORDS[i + 1]} == = ]]; then
                    if ((i + 2 >= COMP_CWORD)); then
                        [[ $cur == = ]] && cur=
                        _retry_value "$word"
                        return
                    fi
                    ((i += 2))
                fi
                ;;
            -?*) ;;
            *)
                _retry_command "$i"
                return
                ;;
        esac
        ((i++))
    done
    if [[ $cur == -* ]]; then
        __retry_words --max-tries --base --cap --factor --backoff --delays --jitter --splay --max-elapsed --reset-after --seed --timeout --signal --kill-after --foreground --preserve-status --retry-on-exit --fail-on-exit --succeed-on-exit --retry-on-signal --fail-on-signal --fail-on-timeout --retry-on-output --fail-on-output --until-output --preset --stdin --stdin-max --output --hints --retry-after-max --ignore-retry-after --dead-letter --no-dead-letter --job --idempotency-key --record-env --record-stdin --redact --report --report-full --quiet --verbose --log-format --log-file --ci --ci-output --metrics-dir --on-retry --on-failure --on-success --hook-timeout --hook-record --plan -h --help --version
    else
        _retry_command "$COMP_CWORD"
    fi
}

# Completes the wrapped command, whose name is the word of this number.
_retry_command() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif ((COMP_CWORD == $1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}

complete -F _retry retry
