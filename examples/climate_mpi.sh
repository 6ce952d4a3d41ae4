#!/bin/sh
# Runs the climate model on 1, 3 and 8 ranks: sh climate_mpi.sh PROGRAM COMMAND ..., where
# `COMMAND ... N PROGRAM` starts N ranks, such as mpirun -n. Ends with 1 unless the exact sums are
# equal, to the last digit, on any number of ranks.
set -eu
program=$1
shift
sums=
naive=
for ranks in 1 3 8; do
    said=$("$@" "$ranks" "$program")
    printf '%s ranks\n%s\n' "$ranks" "$said"
    exact=$(printf '%s\n' "$said" | sed 's/.*exact//')
    [ "$(printf '%s\n' "$exact" | grep -c '[0-9]')" = 4 ] || { echo 'sums are missing'; exit 1; }
    [ "${sums:=$exact}" = "$exact" ] || { echo 'the exact sums differ'; exit 1; }
    naive="$naive$(printf '%s\n' "$said" | sed 's/exact.*//')
"
done
echo 'the exact sums are equal'
[ "$(printf '%s' "$naive" | sort -u | wc -l)" = 4 ] || echo 'those of MPI_SUM differ'
