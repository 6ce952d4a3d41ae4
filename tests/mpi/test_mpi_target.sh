#!/bin/sh
# mpi: targets from outside: test_mpi_target.sh ACCORD MPI LAUNCHER FAULTS MOST, with the library of
# faults.c and the most ranks. Speaks TAP: ../cli/tap.sh.
set -u
accord=$1 mpi=$2 launcher=$3 faults=$4 most=$5
. "$(dirname "$0")/../cli/tap.sh"
faults=$(absolute "$faults")
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
# The MPIs keep memory until the end; under a sanitizer those leaks are not ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
cd "$dir" || exit 1

same_order() { # TARGET SYNTHETIC N [OPTION ...]
    target=$1 model=$2 n=$3
    shift 3
    "$accord" reveal "$target" -n "$n" -q -O text "$@" >seen || return 1
    "$accord" reveal "synthetic:$model" -n "$n" -q -O text >due || return 1
    cmp seen due || { paste seen due; return 1; }
}

# ---- the orders of this MPI ----

# Each case starts ranks. The others of these are for ACCORD_TEST_SCALE=1, which .ci/run has.
# History and late ranks are asked for there, too, where another case is about them (`plain`).
some_ranks="3 $most"
some_collectives='reduce,root=1 scan'
plain=,warm=1 some_lengths=2..5 some_last=5
if all_cases; then
    plain= some_lengths=1..9 some_last=9
    some_ranks=$(seq 2 "$most")
    some_collectives='reduce,root=1 reduce_scatter_block,length=2 reduce_scatter scan exscan'
fi
for n in $some_ranks; do
    is "allreduce of $n ranks" same_order "mpi:allreduce@$mpi,warm=1" recursive-doubling "$n"
done
t 'it is proven, named, and holds elsewhere' 0 'in the first calls.*late' - sh -c \
    "'$accord' reveal mpi:allreduce@$mpi -n 4 --json | tr '\n' ' ' | grep '\"proven\": true' | grep -i 'recursive doubling'"
is 'without waiting, in place, an operation of our own' \
    same_order "mpi:iallreduce@$mpi,in-place,operation=own,warm=1" recursive-doubling 4 --format f64
if all_cases; then
    is 'without waiting, in place' same_order "mpi:iallreduce@$mpi,in-place,warm=1" recursive-doubling 4
    is 'an operation of our own' same_order "mpi:allreduce@$mpi,operation=own,warm=1" recursive-doubling 4 --format f64
fi
t 'each hop rounds to bf16' 0 'arithmetic +bf16 to nearest' - \
    "$accord" reveal "mpi:allreduce@$mpi,warm=1" -n 3 --format bf16
! all_cases || t 'and to f16' 0 'arithmetic +f16 to nearest' - "$accord" reveal "mpi:allreduce@$mpi,warm=1" -n 3 --format f16
for collective in $some_collectives; do
    t "$collective" 0 '"proven": true' - "$accord" reveal "mpi:$(echo "$collective" |
        sed "s/^[a-z_]*/&@$mpi/"),warm=1" -n 3 --json
done
t 'all positions and ranks' 0 '7 x 4 results of 4 terms, 1 class' - "$accord" map "mpi:allreduce@$mpi$plain" --length 7 -n 4 --replays 20
t 'requests that the launcher cannot hold at once' 0 '20000 x 2 results of 2 terms, 1 class' - \
    "$accord" map "mpi:allreduce@$mpi,length=2e4,warm=1" -n 2 --replays 1
if [ "$mpi" = openmpi ]; then
    export OMPI_MCA_coll_tuned_use_dynamic_rules=1
    OMPI_MCA_coll_tuned_allreduce_algorithm=1 # linear
    export OMPI_MCA_coll_tuned_allreduce_algorithm
    is 'linear' same_order "mpi:allreduce@$mpi,warm=1" reverse 5
    OMPI_MCA_coll_tuned_allreduce_algorithm=4 # ring
    unset OMPI_MCA_coll_tuned_use_dynamic_rules OMPI_MCA_coll_tuned_allreduce_algorithm
    t 'the length from which on it is a ring' 1 "length 4 to $some_last: B, sequential" - "$accord" sweep \
        "mpi:allreduce@$mpi,warm=1" -n 4 -q --length $some_lengths --mca coll_tuned_allreduce_algorithm=4
    export OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=4
    t 'blocks of a ring' 0 '8 x 4 results of 4 terms, 4 classes' - "$accord" map "mpi:allreduce@$mpi,length=8$plain" -n 4 --replays 20
    each_starts_elsewhere() {
        "$accord" reveal "mpi:allreduce@$mpi,warm=1" --length 8 --position 7 --rank 1 -n 4 -q -O text >seen &&
            "$accord" reveal synthetic:ring:3 -n 4 -q -O text | cmp seen -
    }
    is 'each starts at another rank' each_starts_elsewhere
    unset OMPI_MCA_coll_tuned_use_dynamic_rules OMPI_MCA_coll_tuned_allreduce_algorithm
    t 'an algorithm that there is not is a row' 4 ' A  .* failed: ' 'does not take coll_tuned_allreduce_algorithm=99, and has 0 instead' \
        sh -c '"$@" 2>said; code=$?; grep "^accord: " said >&2; exit $code' - \
        "$accord" sweep "mpi:allreduce@$mpi,warm=1" -n 2 -q --mca coll_tuned_allreduce_algorithm=99
    ! all_cases || t 'a sweep over lengths and algorithms' 1 '3 groups' '*' "$accord" sweep "mpi:allreduce@$mpi,warm=1" -n 4 -q \
        --setting length=1,8 --mca coll_tuned_allreduce_algorithm=1,3,4
fi

# ---- an MPI with faults ----

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
faulty disagree 'a rank that disagrees' 1 'copies: No order: the ranks do not hold the same result.*differ from rank 0: 2' '*' \
    reveal length=2 -n 4
faulty disagree 'and all that hold its order' 1 'The ranks do not hold the same sum: at position 0, rank 0 .* rank 2 .* 3 of 3 positions' '*' \
    map "length=3$plain" -n 4 --replays 20
faulty unlike 'an order that depends on the terms at the other positions' 3 \
    'reads-others: No order: .*element 0,0 changed when other rows were given other numbers' '*' reveal length=3 -n 4
! all_cases || faulty unlike 'and at one position alone' 0 'proven: The 4 terms' '*' reveal length=1 -n 4
faulty arrival 'an order by arrival' 3 'nondeterministic: No order' '*' reveal length=1 -n 4
faulty late 'an order by arrival where ranks come late alone' 3 \
    'nondeterministic: No order: the result depends on when the terms arrive: [0-9]* of 64 sums had other bits' '*' \
    reveal length=1 -n 4
! all_cases || faulty again 'an order that another run does not have' 3 \
    'nondeterministic: No order: the result depends on the calls before: [0-9]* of 64 sums had other bits in another run' '*' \
    reveal length=1 -n 4
! all_cases || faulty again 'nor a map' 3 'No order: the result depends on the calls before: [0-9]* of [0-9]* sums had other bits in another run' '*' \
    map length=2 -n 4 --replays 20
faulty history 'an order that depends on the calls before' 0 \
    'proven: The 6 terms.*with ranks that come up to 2 ms late.*the order does not hold in the first calls of a new run' '*' \
    reveal length=1 -n 6
! all_cases || faulty history 'and at every position' 0 \
    '1 class .*holds also with ranks that come up to 2 ms late \([0-9]* sums\) warning: the order does not hold in the first calls of a new run, where [1-9][0-9]* of 60 sums had other bits' '*' \
    map length=2 -n 6 --replays 20
cat >once <<END
#!/bin/sh
[ ! -e '$dir/begun' ] || exit 3
: >'$dir/begun'
exec '$tools/run-ranks' '$launcher' "\$2" "\$3" "\$4"
END
chmod +x once
t 'runs that cannot be started later' 0 'it is not known whether the order holds in the first calls of a new run: .*status 3' '*' \
    sh -c "'$accord' reveal 'mpi:allreduce@$mpi,launcher=$dir/once' -n 3 | tr -s ' \n' ' '"
rm -f begun
! all_cases || t 'nor for a map' 0 'warning: it is not known whether the order holds with ranks that come up to 2 ms late: .*status 3' '*' \
    sh -c "'$accord' map 'mpi:allreduce@$mpi,length=2,launcher=$dir/once' -n 3 | tr -s ' \n' ' '"
: >out.txt
faulty death 'a rank that dies' 4 '*' 'a rank died, or its launcher was ended: .* exited with status' reveal length=1 -n 3
: >out.txt
faulty error 'a call that fails' 4 '*' 'a rank died' reveal length=1 -n 3
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
faulty hang 'a call that hangs' 4 '*' 'did not answer within 2 s and was ended; a rank hangs in the collective operation' \
    reveal length=1 -n 3 --timeout 2
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
    for _ in $(seq 100); do [ "$(ranks | wc -l)" -ge 3 ] && break; sleep 0.1; done
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
    for _ in 1 2 3 4 5 6 7 8 9 10; do
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
faulty count 'a position that is not added' 3 'constant: No order: the result is 0, whatever the terms are' '*' reveal length=2 -n 3 --element 1,0

# ---- an installation of its own: the library is beside the launcher ----

# Like another installation of this MPI: its library has the name that its makers give it, and stands in
# lib. The launcher tells what its ranks would load.
worker=${ACCORD_MPI_WORKER:-$(dirname "$accord")/src/mpi/accord-mpi-worker-$mpi}
mkdir -p own/bin own/lib nothing/bin
case $mpi in
    openmpi) needed=libmpi.so.40 given=libmpi.so.40 said='mpirun (Open MPI) 5.9.9' ;;
    *) needed=libmpich.so.12 given=libmpi.so.12 said="HYDRA build details:
    Version:                                 9.9.9" ;;
esac
of_system=$(ldd "$worker" | sed -n "s|.*$needed => \(/[^ ]*\).*|\1|p")
cat >own/bin/mpirun <<END
#!/bin/sh
[ "\$1" != --version ] || { echo '$said'; exit; }
echo "\$@" >'$dir/words'
while [ "\$1" != -n ]; do shift; done
ranks=\$2
shift 2
[ "\$1" = env ] && "\$1" "\$2" "\$3" ldd '$worker' >'$dir/loaded'
exec '$tools/run-ranks' '$launcher' "\$ranks" "\$@"
END
chmod +x own/bin/mpirun
cp own/bin/mpirun nothing/bin/mpirun
if [ "$of_system" ]; then
    # The other name is shorter, so that zeros fill the rest.
    if [ "$given" = "$needed" ]; then cp "$of_system" "own/lib/$given"
    else LC_ALL=C sed 's/libmpich\.so\.12/libmpi.so.12\x00\x00/g' "$of_system" >"own/lib/$given"; fi
    mkdir links
    kept=${TMPDIR-}
    TMPDIR=$dir/links
    export TMPDIR
    t 'a launcher alone says which MPI it is' 0 '"proven": true' - \
        "$accord" reveal "mpi:allreduce,warm=1,launcher=$dir/own/bin/mpirun" -n 3 --json
    its_library_alone() {
        cat loaded
        grep -q "$dir/own/lib/$given" loaded && ! grep -q "=> $of_system" loaded
    }
    is 'its ranks load the library beside it, and no other' its_library_alone
    no_links() { [ -z "$(ls -A links | grep accord-mpi)" ]; }
    is 'no link is left' no_links
    # Killed while ranks start, it leaves its folder; the next one removes that, but none that is in use.
    cp own/bin/mpirun works
    printf '#!/bin/sh\n[ "$1" != --version ] || exec "%s" --version\n: >"%s"\nexec sleep 30\n' \
        "$dir/works" "$dir/started" >own/bin/mpirun
    "$accord" reveal "mpi:allreduce,launcher=$dir/own/bin/mpirun" -n 3 >/dev/null 2>&1 &
    starting=$!
    for _ in $(seq 100); do [ -e started ] && break; sleep 0.1; done
    its_folder=$(ls -d links/accord-mpi-* 2>/dev/null)
    is 'links while ranks start' test -e "$its_folder/libmpi.so.12"
    cp works own/bin/mpirun
    mkdir links/accord-mpi-abcdef links/accord-mpi-other1
    ln -s "$dir/nowhere" links/accord-mpi-abcdef/libmpi.so.40
    echo mine >links/accord-mpi-other1/file
    t 'another one meanwhile' 0 '"proven": true' - \
        "$accord" reveal "mpi:allreduce,warm=1,launcher=$dir/own/bin/mpirun" -n 3 --json
    is 'links in use stay' test -e "$its_folder/libmpi.so.12"
    is 'old links are gone' test ! -e links/accord-mpi-abcdef
    is 'the folder of another stays' test -e links/accord-mpi-other1/file
    rm -r links/accord-mpi-other1
    kill -9 "$starting"
    wait "$starting" 2>/dev/null
    is 'killed, it leaves links' test -e "$its_folder/libmpi.so.12"
    t 'the next one' 0 '"proven": true' - \
        "$accord" reveal "mpi:allreduce,warm=1,launcher=$dir/own/bin/mpirun" -n 3 --json
    is 'removes them' no_links
    printf '#!/bin/sh\n[ "$1" != --version ] || exec "%s" --version\nexit 3\n' "$dir/works" >own/bin/mpirun
    t 'a launcher that fails' 4 - 'exited with status 3' "$accord" reveal \
        "mpi:allreduce,launcher=$dir/own/bin/mpirun" -n 3
    is 'no link is left of that either' no_links
    if [ "$kept" ]; then TMPDIR=$kept; else unset TMPDIR; fi
    [ "$mpi" != openmpi ] || is 'Open MPI 5 does not wait for whole lines' grep -q -- '--stream-buffering 0' words
fi
t 'a launcher without a library' 3 - "but no $given in lib or lib64 beside that folder" "$accord" reveal \
    "mpi:allreduce@$mpi,launcher=$dir/nothing/bin/mpirun" -n 3
case $mpi in openmpi) other=mpich ;; *) other=openmpi ;; esac
t 'a launcher of another MPI' 2 - "9.9: write @$mpi, or give one of" "$accord" reveal \
    "mpi:allreduce@$other,launcher=$dir/own/bin/mpirun" -n 3
printf '#!/bin/sh\necho hello\n' >nothing/bin/mpirun
t 'a launcher that is not known' 3 - "says 'hello', which is not how" "$accord" reveal \
    "mpi:allreduce@$mpi,launcher=$dir/nothing/bin/mpirun" -n 3
printf '#!/bin/sh\nexit 7\n' >nothing/bin/mpirun
t 'a launcher that does not work' 4 - "--version' exited with status 7" "$accord" reveal \
    "mpi:allreduce@$mpi,launcher=$dir/nothing/bin/mpirun" -n 3

# ---- questions that cannot be asked ----

t 'another collective' 2 - "'bcast' is no collective operation that adds" "$accord" reveal mpi:bcast -n 4
t 'another setting' 2 - "'size=4' is no setting of mpi: targets; there are length=" "$accord" reveal mpi:allreduce,size=4 -n 4
t 'a length that is no number' 2 - "not '1e3x'" "$accord" reveal mpi:allreduce,length=1e3x -n 4
t 'too great a length' 2 - "not '1e12'" "$accord" reveal mpi:allreduce,length=1e12 -n 4
t 'no length' 2 - 'length= is a whole number from 1 to 16777216' "$accord" reveal mpi:allreduce,length=0 -n 4
t 'another MPI' 2 - "'foo' is no MPI: write @openmpi or @mpich" "$accord" reveal mpi:allreduce@foo -n 4
t 'another operation' 2 - 'operation= is sum' "$accord" reveal mpi:allreduce,operation=max -n 4
t 'another format' 3 - 'add f64, f32, f16 or bf16' "$accord" reveal mpi:allreduce -n 4 --format e4m3
t 'no such root' 2 - 'root=4 is no rank' "$accord" reveal mpi:reduce,root=4 -n 4
t 'too many ranks' 2 - 'at most 4096' "$accord" reveal mpi:allreduce -n 5000
t 'no such position' 2 - 'not in the grid of 2 x 4' "$accord" reveal "mpi:allreduce@$mpi,length=2" -n 4 --element 2,0
printf '#!/bin/sh\nexec "$3" "$4"\n' >alone
chmod +x alone
t 'a launcher that starts one rank' 4 - '1 ranks were started, not the 4' "$accord" reveal \
    "mpi:allreduce@$mpi,launcher=$dir/alone" -n 4
echo "1..$number"
