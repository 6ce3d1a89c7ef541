# bash completion for retryctl(1)
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
_retryctl_value() {
    case "$verb $1" in
        'dead-letter list --state' | 'dead-letter replay --state' | 'dead-letter discard --state')
            __retry_list dead replaying in_doubt replayed discarded poison
            ;;
        *' --exit')
            __retry_list EX_USAGE EX_DATAERR EX_NOINPUT EX_NOUSER EX_NOHOST EX_UNAVAILABLE EX_SOFTWARE EX_OSERR EX_OSFILE EX_CANTCREAT EX_IOERR EX_TEMPFAIL EX_PROTOCOL EX_NOPERM EX_CONFIG
            ;;
        *' --ending')
            __retry_words permanent exhausted deadline retry_after_too_long interrupted
            ;;
        'dead-letter list --format')
            __retry_words table jsonl ids
            ;;
        *' --file' | *' --stdin' | *' --env-file')
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            ;;
        'dead-letter purge --state')
            __retry_list dead in_doubt replayed discarded poison all
            ;;
        'dead-letter stats --by')
            __retry_words job ending exit
            ;;
        'dead-letter stats --format' | 'stats --format')
            __retry_words table json
            ;;
        *' --metrics-dir')
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -d -- "$cur")
            ;;
        'stats --by')
            __retry_words job error
            ;;
    esac
}

_retryctl() {
    local cur=${COMP_WORDS[COMP_CWORD]} i value word verb=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        __retry_words dead-letter stats preset dl --help --version
        return
    fi
    verb=${COMP_WORDS[1]}
    [[ $verb == dl ]] && verb=dead-letter
    i=2
    case $verb in
        dead-letter)
            if ((COMP_CWORD == 2)); then
                __retry_words list show replay discard restore purge stats check verify path --help
                return
            fi
            verb="$verb ${COMP_WORDS[2]}"
            i=3
            ;;
        preset)
            if ((COMP_CWORD == 2)); then
                __retry_words list show --help
                return
            fi
            verb="$verb ${COMP_WORDS[2]}"
            i=3
            ;;
    esac
    while ((i < COMP_CWORD)); do
        word=${COMP_WORDS[i]}
        case $word in
            --job | --state | --since | --until | --exit | --ending | --grep | --count | -n | --format | --file | --max-tries | --rate | --stop-after | --stdin | --env-file | --reason | --older-than | --by | --warn | --crit | --max-age | --metrics-dir)
                value=$((i + 1))
                [[ ${COMP_WORDS[value]} == = ]] && ((value++))
                if ((value >= COMP_CWORD)); then
                    [[ $cur == = ]] && cur=
                    _retryctl_value "$word"
                    return
                fi
                i=$value
                ;;
        esac
        ((i++))
    done
    case $verb in
        'dead-letter list')
            if [[ $cur == -* ]]; then
                __retry_words --job --state --since --until --exit --ending --grep --count --format --reveal --file -h --help --version
            else
                :
            fi
            ;;
        'dead-letter show')
            if [[ $cur == -* ]]; then
                __retry_words --json --shell --reveal --file -h --help --version
            else
                mapfile -t COMPREPLY < <(compgen -W "$(retryctl dead-letter list --format ids 2>/dev/null)" -- "$cur")
            fi
            ;;
        'dead-letter replay')
            if [[ $cur == -* ]]; then
                __retry_words --all --job --state --since --until --exit --ending --grep --max-tries --rate --stop-after --newest --in-doubt --poison --dry-run --other-host --changed-input --stdin --env-file --yes --file -h --help --version
            else
                mapfile -t COMPREPLY < <(compgen -W "$(retryctl dead-letter list --format ids 2>/dev/null)" -- "$cur")
            fi
            ;;
        'dead-letter discard')
            if [[ $cur == -* ]]; then
                __retry_words --all --job --state --since --until --exit --ending --grep --reason --yes --file -h --help --version
            else
                mapfile -t COMPREPLY < <(compgen -W "$(retryctl dead-letter list --format ids 2>/dev/null)" -- "$cur")
            fi
            ;;
        'dead-letter restore')
            if [[ $cur == -* ]]; then
                __retry_words --yes --file -h --help --version
            else
                mapfile -t COMPREPLY < <(compgen -W "$(retryctl dead-letter list --format ids 2>/dev/null)" -- "$cur")
            fi
            ;;
        'dead-letter purge')
            if [[ $cur == -* ]]; then
                __retry_words --older-than --state --yes --file -h --help --version
            else
                :
            fi
            ;;
        'dead-letter stats')
            if [[ $cur == -* ]]; then
                __retry_words --by --format --file -h --help --version
            else
                :
            fi
            ;;
        'dead-letter check')
            if [[ $cur == -* ]]; then
                __retry_words --warn --crit --max-age --file -h --help --version
            else
                :
            fi
            ;;
        'dead-letter verify')
            if [[ $cur == -* ]]; then
                __retry_words --file -h --help --version
            else
                :
            fi
            ;;
        'dead-letter path')
            if [[ $cur == -* ]]; then
                __retry_words --file -h --help --version
            else
                :
            fi
            ;;
        stats)
            if [[ $cur == -* ]]; then
                __retry_words --metrics-dir --by --format --file -h --help --version
            else
                :
            fi
            ;;
        'preset list')
            if [[ $cur == -* ]]; then
                __retry_words -h --help --version
            else
                :
            fi
            ;;
        'preset show')
            if [[ $cur == -* ]]; then
                __retry_words -h --help --version
            else
                __retry_words sysexits qmail curl wget rsync ssh git aws psql pg_dump docker kubectl apt pip npm restic borg rclone s3cmd ansible
            fi
            ;;
    esac
}

complete -F _retryctl retryctl
