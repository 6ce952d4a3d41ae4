#!/bin/sh
# mpi: targets of an MPI with faults: test_mpi_faults.sh ACCORD MPI LAUNCHER FAULTS, with the library of
# faults.c. Speaks TAP: ../cli/tap.sh.
set -u
accord=$1 mpi=$2 launcher=$3 faults=$4
. "$(dirname "$0")/../cli/tap.sh"
faults=$(absolute "$faults")
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
# The MPIs keep memory until the end; under a sanitizer those leaks are not ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
cd "$dir" || exit 1

# Each case starts ranks. What is found by accord's own ranks, whatever the MPI, is asked under one of the
# two, and what another case repeats with ACCORD_TEST_SCALE=1, which .ci/run has (`all_under`). History and
# late ranks are asked for there, too, where another case is about them (`plain`). With that scale, ranks that
# end or fail are so under each MPI (`shown_by`).
plain=,warm=1
! all_cases || plain=
under() { [ "$mpi" = "$1" ]; }
all_under() { all_cases && under "$1"; }
shown_by() { all_cases || under "$1"; }
cat >faulty <<END
#!/bin/sh
export LD_PRELOAD='$faults'
exec '$tools/run-ranks' '$launcher' "\$2" "\$3" "\$4"
END
chmod +x faulty
faulty() { # FAULT NAME STATUS OUT ERR VERB SETTINGS OPTION...
    FAULT=$1
    export FAULT
    shift
    name=$1 status=$2 out=$3 err=$4 verb=$5 settings=$6
    shift 6
    t "$name" "$status" "$out" "$err" sh -c '"$@" 2>said; code=$?; grep "^accord: " said >&2; tr -s " \n" " " <out.txt; exit $code' - \
        "$accord" "$verb" "mpi:allreduce@$mpi,$settings,launcher=$dir/faulty" -q -o out.txt "$@"
    rm -f out.txt
}
: >out.txt
! under openmpi || faulty disagree 'a rank that disagrees' 1 'copies: No order: the ranks do not hold the same result.*differ from rank 0: 2' '*' \
    reveal length=2 -n 4
! all_under mpich || faulty disagree 'and all that hold its order' 1 'The ranks do not hold the same sum: at position 0, rank 0 .* rank 2 .* 3 of 3 positions' '*' \
    map "length=3$plain" -n 4 --replays 20
! under mpich || faulty unlike 'an order that depends on the terms at the other positions' 3 \
    'reads-others: No order: .*element 0,0 changed when other rows were given other numbers' '*' reveal length=3 -n 4
! all_under openmpi || faulty unlike 'and at one position alone' 0 'proven: The 4 terms' '*' reveal length=1 -n 4
! under openmpi || faulty arrival 'an order by arrival' 3 \
    'nondeterministic: No order: the result depends on when the terms arrive' '*' reveal length=1 -n 4
! all_under mpich || faulty last 'and a map where one position has one' 3 \
    'No order: the result depends on when the terms arrive' '*' map length=3 -n 4
! all_under mpich || faulty chance 'an order by chance' 3 \
    'nondeterministic: No order: ([0-9]* of [0-9]* random inputs gave different results|the same input gave)' '*' \
    reveal length=1 -n 4
! all_under openmpi || faulty late 'an order by arrival where ranks come late alone' 3 \
    'nondeterministic: No order: the result depends on when the terms arrive: [0-9]* of 64 sums had other bits' '*' \
    reveal length=1 -n 4
! all_under openmpi || faulty again 'an order that another run does not have' 3 \
    'nondeterministic: No order: the result depends on the calls before: [0-9]* of 64 sums had other bits in another run' '*' \
    reveal length=1 -n 4
! all_under mpich || faulty again 'nor a map' 3 'No order: the result depends on the calls before: [0-9]* of [0-9]* sums had other bits in another run' '*' \
    map length=2 -n 4 --replays 20
! under mpich || faulty history 'an order that depends on the calls before' 0 \
    'proven: The 4 terms.*with ranks that come up to 2 ms late.*the order does not hold in the first calls of a new run' '*' \
    reveal length=1 -n 4
! all_under openmpi || faulty history 'and at every position' 0 \
    '1 class .*holds also with ranks that come up to 2 ms late \([0-9]* sums\) warning: the order does not hold in the first calls of a new run, where [1-9][0-9]* of 40 sums had other bits' '*' \
    map length=2 -n 4 --replays 20
cat >once <<END
#!/bin/sh
[ ! -e '$dir/begun' ] || exit 3
: >'$dir/begun'
exec '$tools/run-ranks' '$launcher' "\$2" "\$3" "\$4"
END
chmod +x once
! under mpich || t 'runs that cannot be started later' 0 'it is not known whether the order holds in the first calls of a new run: .*status 3' '*' \
    sh -c "'$accord' reveal 'mpi:allreduce@$mpi,launcher=$dir/once' -n 3 | tr -s ' \n' ' '"
rm -f begun
! all_under openmpi || t 'nor for a map' 0 'warning: it is not known whether the order holds with ranks that come up to 2 ms late: .*status 3' '*' \
    sh -c "'$accord' map 'mpi:allreduce@$mpi,length=2,launcher=$dir/once' -n 3 | tr -s ' \n' ' '"
: >out.txt
! shown_by openmpi || faulty death 'a rank that dies' 4 '*' 'a rank died, or its launcher was ended: .* exited with status' reveal length=1 -n 3
: >out.txt
! shown_by mpich || faulty error 'a call that fails' 4 '*' 'a rank died' reveal length=1 -n 3
: >out.txt
# Other programs use MPI at the same time, so only what these ranks have is asked after: their processes,
# their session folders (which go to TMPDIR) and the shared memory that they are seen to map.
ranks() { pgrep -f "accord-mpi-worker-$mpi allreduce@$mpi.*$dir/faulty"; }
mkdir session
: >mapped
while [ ! -e ended ]; do
    for rank in $(ranks); do
        grep -o '/dev/shm/[^ ]*' "/proc/$rank/maps" 2>/dev/null
    done >>mapped
    sleep 0.2
done &
watch=$!
kept=${TMPDIR-}
TMPDIR=$dir/session
export TMPDIR
faulty hang 'a call that hangs' 4 '*' 'did not answer within 12 s and was ended; a rank hangs in the collective operation' \
    reveal length=1 -n 3 --timeout 12 # in which ranks have to start, too
: >out.txt
[ "$mpi" != mpich ] || # which is between making and removing the files of its shared memory then
    faulty begin 'ranks that hang as they begin' 4 '*' 'did not answer within 2 s and was ended; not all ranks began' \
        reveal length=1 -n 3 --timeout 2
# Ended in the middle of it: by Ctrl-C, and killed, so that only the launcher can tidy up.
for signal in INT KILL; do
    # What a shell starts in the background ignores SIGINT, and so would accord.
    FAULT=hang env --default-signal=INT "$accord" reveal \
        "mpi:allreduce@$mpi,length=1,launcher=$dir/faulty" -n 3 --timeout 60 >/dev/null 2>&1 &
    ended=$!
    for _ in $(seq 600); do [ "$(ranks | wc -l)" -ge 3 ] && break; sleep 0.2; done
    sleep 0.5
    is "ranks that hang before SIG$signal" [ "$(ranks | wc -l)" -ge 3 ]
    kill -s "$signal" "$ended"
    wait "$ended" 2>/dev/null
done
if [ "$kept" ]; then TMPDIR=$kept; else unset TMPDIR; fi
: >ended
wait "$watch"
shared_memory() { sort -u mapped | while read -r file; do [ ! -e "$file" ] || echo "$file"; done; }
nothing_left() {
    for _ in $(seq 60); do
        if ! ranks >left && [ ! "$(ls -A session)" ] && [ ! "$(shared_memory)" ]; then
            [ "$mpi" != openmpi ] || [ -s mapped ] # Open MPI does map a file, so the watch has seen it
            return
        fi
        sleep 0.5
    done
    cat left
    ls -A session
    shared_memory
    return 1
}
is 'nothing of it is left' nothing_left
: >out.txt
! under openmpi || faulty count 'a position that is not added' 4 '*' \
    'a wrong count: allreduce was called for 2 positions, and left position 1 of rank 0 without a result' reveal length=2 -n 3
: >out.txt
! all_under mpich || faulty count 'nor in place' 4 '*' 'a wrong count: .* left position 2 of rank 0 without a result' \
    map length=3,in-place -n 2 --format f64
: >out.txt
! all_under openmpi || faulty beyond 'one position too many' 4 '*' 'a wrong count: .* 2 positions, and wrote beyond them into the memory of rank 0' \
    reveal length=2 -n 3
: >out.txt
echo "1..$number"
