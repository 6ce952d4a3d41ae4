# Cases in TAP for scripts that test the command; to be read by them after they have set `accord`, the
# command, to a path. Afterwards that is absolute, `here` is the folder of the script, and `dir` one of
# its own that is gone at the end.
#
#   t NAME STATUS OUT ERR COMMAND...
# runs the command without input. OUT and ERR are extended regular expressions that must match
# somewhere; "-" means that nothing may come, "*" anything. Whatever comes on stderr must be lines
# that begin with "accord: ", and a status of 2 or 4 must come with exactly one of them, and perhaps
# lines that are indented and show the place.
# shellcheck shell=sh disable=SC2154
number=0

absolute() { # PATH, which may be empty
    case $1 in '' | /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$PWD/$1" ;; esac
}

accord=$(absolute "$accord")
[ -x "$accord" ] || { echo "Bail out! there is no $accord"; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
unset NO_COLOR CLICOLOR_FORCE COLUMNS

result() { # NAME PROBLEM
    number=$((number + 1))
    if [ -z "$2" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        echo "# $2"
        sed 's/^/# stdout: /' "$dir/out" | head -n 20
        sed 's/^/# stderr: /' "$dir/err" | head -n 20
    fi
}

matches() { # FILE PATTERN
    case $2 in
        '*') return 0 ;;
        -) [ ! -s "$1" ] ;;
        *) grep -Eq -- "$2" "$1" ;;
    esac
}

judge() { # NAME WANTED GOT OUT ERR
    problem=
    [ "$2" = "$3" ] || problem="status $3, not $2"
    matches "$dir/out" "$4" || problem="$problem; stdout does not match $4"
    matches "$dir/err" "$5" || problem="$problem; stderr does not match $5"
    ! grep -qv '^accord: ' "$dir/err" || problem="$problem; a line on stderr without accord:"
    case $3 in 2 | 4) [ "$(grep -cv '^accord:   ' "$dir/err")" = 1 ] || problem="$problem; not one line of error" ;; esac
    result "$1" "$problem"
}

t() {
    name=$1 wanted=$2 out=$3 err=$4
    shift 4
    status=0
    "$@" </dev/null >"$dir/out" 2>"$dir/err" || status=$?
    judge "$name" "$wanted" "$status" "$out" "$err"
}

# is NAME COMMAND...: one that must simply succeed.
is() {
    name=$1
    shift
    problem=
    "$@" </dev/null >"$dir/said" 2>&1 || problem="status $?: $(head -c 300 "$dir/said" | tr '\n' ' ')"
    result "$name" "$problem"
}

skip() { # NAME WHY
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# Whether cases that take long are wanted: not below ACCORD_TEST_SCALE=1.
all_cases() { awk 'BEGIN { exit !(ARGV[1] >= 1) }' "${ACCORD_TEST_SCALE:-1}"; }

# soon COMMAND...: whether it succeeds within a minute, however busy the machine is.
soon() {
    for _ in $(seq 600); do "$@" && return; sleep 0.1; done
    return 1
}

# stopped SIGNAL COMMAND...: runs it until a program in $TMPDIR is seen to run, and sends it the signal.
runs_in() { ls -l /proc/[0-9]*/exe 2>/dev/null | grep -q -- "-> $1/"; }
stopped() {
    signal=$1
    shift
    env --default-signal=INT "$@" </dev/null >/dev/null 2>&1 &
    child=$!
    seen=
    soon runs_in "$TMPDIR" && seen=yes
    kill -"$signal" $child
    wait $child 2>/dev/null
    [ "$seen" ]
}

valid_json() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"; }

# The clang whose bitcode the instrumenter reads, with its folder, in `clang`; empty if there is none.
# shellcheck disable=SC2034
find_clang() {
    clang=
    for name in clang-14 clang; do
        case $("$name" -dumpversion 2>/dev/null) in 14.*) clang=$(command -v "$name") && break ;; esac
    done
}
