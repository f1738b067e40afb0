#!/usr/bin/env bash
# contexts.sh GPU COMMAND...: runs the command, which should not use that GPU, and fails if nvidia-smi shows memory of
# it there. nvidia-smi does not show processes of other namespaces; that is reported, but is no failure.
set -euo pipefail
gpu=$1
shift
"$@" >/dev/null &
pid=$!
on() { grep -qx " *$pid *" <<<"$(nvidia-smi "$@" --query-compute-apps=pid --format=csv,noheader)"; }
seen=
while kill -0 $pid 2>/dev/null; do
  if on -i "$gpu"; then
    kill $pid
    echo "it has memory on GPU $gpu"
    exit 1
  fi
  ! on || seen=1
done
wait $pid
if [ -n "$seen" ]; then
  echo "none"
else
  echo "nvidia-smi shows no process of this machine: nothing is known"
fi
