#!/bin/sh
# exits CODE COMMAND...: runs the command and demands that exit code, exactly.
want=$1
shift
"$@"
got=$?
[ "$got" = "$want" ] && exit 0
echo "exits: expected exit code $want, got $got: $*" >&2
exit 1
