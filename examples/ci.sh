#!/bin/sh
# For CI, by the statuses of accord: sh ci.sh [ACCORD]. Ends with 1 when bits depend on circumstances.
accord=${1:-accord}
bad=0
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# must NAME WORDS...: 0 is one group, 1 several, 3 no fixed order, 4 a target that is not there.
must() {
    name=$1
    shift
    "$accord" "$@" -q >"$report" 2>&1
    case $? in
        0) echo "ok       $name" ;;
        1) echo "DEPENDS  $name"; cat "$report"; bad=1 ;;
        4) echo "missing  $name" ;;
        *) echo "FAILED   $name"; cat "$report"; bad=1 ;;
    esac
}

must 'our sum, whatever the locale' \
    sweep 'command:sh sum.sh' -n 16 --format f64 --env LC_ALL=C,POSIX
must 'a dot product, whatever the alignment' \
    sweep blas:sdot@reference -n 50 --align 0,4,20
must 'a row of a product, whatever the batch' \
    batch blas:sgemm@reference --shape 1x8x32 --batch 1..8
exit $bad
