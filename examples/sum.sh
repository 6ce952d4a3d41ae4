#!/bin/sh
# A sum in awk as a target: accord reveal 'command:sh examples/sum.sh' -n 16 --format f64
# mawk reads ahead unless it is told that somebody waits for its answers.
awk -W interactive 'BEGIN { exit }' </dev/null >/dev/null 2>&1 && set -- -W interactive
exec awk "$@" '
    NR == 1 { print "accord 1 text awk" }
    NR > 1  { sum = 0; for (i = 1; i <= NF; i++) sum += $i; printf "%.17g\n", sum }
            { fflush() }'
