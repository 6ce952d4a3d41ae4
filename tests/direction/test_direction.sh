#!/bin/sh
# What points up between rooms is found: test_direction.sh BUILD. Speaks TAP. An include and a call
# that point up, and a circle of calls, are planted in copies of the sources and the objects.
set -u
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
count=0

# case_of NAME COMMAND…
case_of() {
    name=$1
    shift
    count=$((count + 1))
    if "$@" >"$dir/said" 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        sed 's/^/# /' "$dir/said"
    fi
}

# refused EXPRESSION BUILD SOURCE
refused() {
    ! tools/check-direction "$2" "$3" >"$dir/found" 2>&1 && grep -q -- "$1" "$dir/found" && return
    cat "$dir/found"
    return 1
}

# sources NAME: a copy that may be changed.
sources() {
    mkdir -p "$dir/$1/tools"
    cp -r src "$dir/$1/src"
    mkdir "$dir/$1/python"
    cp -r python/accord "$dir/$1/python/accord"
    cp tools/rooms.txt "$dir/$1/tools/"
}

# objects NAME: the objects, by links.
objects() {
    mkdir -p "$dir/$1"
    find "$(realpath "$build")" -name '*.c.o' -exec cp -s --parents -t "$dir/$1" {} +
}

# plant NAME OBJECT: in its place comes what is compiled from standard input.
plant() {
    cat >"$dir/planted.c"
    find "$dir/$1" -name "$2" | while read -r object; do
        rm "$object"
        ${CC:-cc} -c "$dir/planted.c" -o "$object"
    done
}

case_of 'no arrow points up' tools/check-direction "$build" .

sources include
echo '#include "reveal/probes/ask.h"' >>"$dir/include/src/tree/check.c"
case_of 'an include that points up' refused '^up: tree/check.c -> reveal/probes/ask.h$' "$build" "$dir/include"

sources public
echo '#include <accord/map.h>' >>"$dir/public/src/model/check.c"
case_of 'an include of a public header that points up' refused '^up: model/check.c -> accord/map.h$' \
    "$build" "$dir/public"

sources folder
echo '#include "reveal/reasons/late.h"' >>"$dir/folder/src/reveal/probes/ask.c"
case_of 'an include that points up in a room' refused '^up: reveal/probes/ask.c -> reveal/reasons/late.h$' \
    "$build" "$dir/folder"

objects call
plant call base_nearest.c.o <<'END'
int accord_reveal(void);
int accordi_nearest(void);
int accordi_nearest(void) { return accord_reveal(); }
END
case_of 'a call that points up' refused '^up: base/nearest.c -> reveal/reveal.c$' "$dir/call" .

objects around
plant around base_memory.c.o <<'END'
int accordi_nearest(void);
int accordi_alloc(void);
int accordi_alloc(void) { return accordi_nearest(); }
END
plant around base_nearest.c.o <<'END'
int accordi_alloc(void);
int accordi_nearest(void);
int accordi_nearest(void) { return accordi_alloc(); }
END
case_of 'a circle of calls' refused '^in a circle: base/memory.c -> base/nearest.c$' "$dir/around" .

sources command
echo '#include "record/record.h"' >>"$dir/command/src/cli/orders/show.c"
case_of 'an internal header in the command' refused '^not public: cli/orders/show.c -> record/record.h$' \
    "$build" "$dir/command"

sources python
echo '#include "targets/target.h"' >>"$dir/python/python/accord/native/target.c"
case_of 'an internal header in Python' refused '^not public: accord/native/target.c -> targets/target.h$' \
    "$build" "$dir/python"

objects inner
plant inner src_cli_orders_show.c.o <<'END'
int accordi_builder_node(void), cli_planted(void);
int cli_planted(void) { return accordi_builder_node(); }
END
case_of 'an internal function in the command' refused '^not public: cli/orders/show.c -> ' "$dir/inner" .

sources unknown
mkdir "$dir/unknown/src/attic"
echo '#include "base/base.h"' >"$dir/unknown/src/attic/attic.c"
case_of 'a room that the table does not know' refused '^up: attic/attic.c -> base/base.h$' "$build" "$dir/unknown"

sources gone
echo 'base/error.c -> reveal/reveal.c: no more' >>"$dir/gone/tools/rooms.txt"
case_of 'a known arrow that is gone' refused '^known, but gone: base/error.c' "$build" "$dir/gone"

mkdir "$dir/empty"
case_of 'a build without objects' refused 'build first' "$dir/empty" .
echo "1..$count"
