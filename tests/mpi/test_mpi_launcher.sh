#!/bin/sh
# mpi: targets with launchers that are named: test_mpi_launcher.sh ACCORD MPI LAUNCHER, the one of this
# MPI. Speaks TAP: ../cli/tap.sh.
set -u
accord=$1 mpi=$2 launcher=$3
. "$(dirname "$0")/../cli/tap.sh"
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
# The MPIs keep memory until the end; under a sanitizer those leaks are not ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
cd "$dir" || exit 1

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
    for _ in $(seq 600); do [ -e started ] && break; sleep 0.1; done
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
    # That of Open MPI 5 never passes on the end of its input.
    cat >own/bin/mpirun <<END
#!/bin/sh
[ "\$1" != --version ] || exec "$dir/works" --version
rm -f '$dir/kept'
mkfifo '$dir/kept'
exec 3<&0 4<>'$dir/kept'
cat <&3 >'$dir/kept' &
"$dir/works" "\$@" <'$dir/kept'
echo "\$?" >>'$dir/statuses'
kill "\$!" 2>/dev/null
END
    t 'a launcher whose input never ends' 0 '"proven": true' - \
        "$accord" reveal "mpi:allreduce,warm=1,launcher=$dir/own/bin/mpirun" -n 3 --json
    ended() { cat statuses && [ "$(sort -u statuses)" = 0 ]; }
    is 'its ranks end by themselves' ended
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
echo "1..$number"
