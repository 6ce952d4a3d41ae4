#!/bin/sh
# mpi: targets from outside: test_mpi_target.sh ACCORD MPI MOST, with the most ranks. Speaks TAP:
# ../cli/tap.sh.
set -u
accord=$1 mpi=$2 most=$3
. "$(dirname "$0")/../cli/tap.sh"
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
some_ranks=$most
some_collectives='reduce,root=1'
plain=,warm=1 some_lengths=3..4 some_last=4
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
    ! all_cases || is 'linear' same_order "mpi:allreduce@$mpi,warm=1" reverse 5
    OMPI_MCA_coll_tuned_allreduce_algorithm=4 # ring
    unset OMPI_MCA_coll_tuned_use_dynamic_rules OMPI_MCA_coll_tuned_allreduce_algorithm
    t 'the length from which on it is a ring' 1 "length 4( to $some_last)?: B, sequential" - "$accord" sweep \
        "mpi:allreduce@$mpi,warm=1" -n 4 -q --length $some_lengths --mca coll_tuned_allreduce_algorithm=4
    export OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=4
    t 'blocks of a ring' 0 '8 x 4 results of 4 terms, 4 classes' - "$accord" map "mpi:allreduce@$mpi,length=8$plain" -n 4 --replays 20
    each_starts_elsewhere() {
        "$accord" reveal "mpi:allreduce@$mpi,warm=1" --length 8 --position 7 --rank 1 -n 4 -q -O text >seen &&
            "$accord" reveal synthetic:ring:3 -n 4 -q -O text | cmp seen -
    }
    ! all_cases || is 'each starts at another rank' each_starts_elsewhere
    unset OMPI_MCA_coll_tuned_use_dynamic_rules OMPI_MCA_coll_tuned_allreduce_algorithm
    t 'an algorithm that there is not is a row' 4 ' A  .* failed: ' 'does not take coll_tuned_allreduce_algorithm=99, and has 0 instead' \
        sh -c '"$@" 2>said; code=$?; grep "^accord: " said >&2; exit $code' - \
        "$accord" sweep "mpi:allreduce@$mpi,warm=1" -n 2 -q --mca coll_tuned_allreduce_algorithm=99
    ! all_cases || t 'a sweep over lengths and algorithms' 1 '3 groups' '*' "$accord" sweep "mpi:allreduce@$mpi,warm=1" -n 4 -q \
        --setting length=1,8 --mca coll_tuned_allreduce_algorithm=1,3,4
fi

# ---- questions that cannot be asked ----

t 'another collective' 2 - "'bcast' is not a collective operation that adds" "$accord" reveal mpi:bcast -n 4
t 'another setting' 2 - "'size=4' is not a setting of mpi: targets; there are length=" "$accord" reveal mpi:allreduce,size=4 -n 4
t 'a length that is no number' 2 - "not '1e3x'" "$accord" reveal mpi:allreduce,length=1e3x -n 4
t 'too great a length' 2 - "not '1e12'" "$accord" reveal mpi:allreduce,length=1e12 -n 4
t 'no length' 2 - 'length= is a whole number from 1 to 16777216' "$accord" reveal mpi:allreduce,length=0 -n 4
t 'another MPI' 2 - "'foo' is not an MPI: write @openmpi or @mpich" "$accord" reveal mpi:allreduce@foo -n 4
t 'another operation' 2 - 'operation= is sum' "$accord" reveal mpi:allreduce,operation=max -n 4
t 'another format' 3 - 'add f64, f32, f16 or bf16' "$accord" reveal mpi:allreduce -n 4 --format e4m3
t 'no such root' 2 - 'root=4 is not a rank' "$accord" reveal mpi:reduce,root=4 -n 4
t 'too many ranks' 2 - 'at most 4096' "$accord" reveal mpi:allreduce -n 5000
t 'no such position' 2 - 'not in the grid of 2 x 4' "$accord" reveal "mpi:allreduce@$mpi,length=2" -n 4 --element 2,0
printf '#!/bin/sh\nexec "$3" "$4"\n' >alone
chmod +x alone
t 'a launcher that starts one rank' 4 - '1 ranks were started, not the 4' "$accord" reveal \
    "mpi:allreduce@$mpi,launcher=$dir/alone" -n 4
echo "1..$number"
