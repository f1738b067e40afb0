#!/usr/bin/env bash
#===- check-ring.sh - checks the model of the ring protocol ----------------===#
#
# Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
#
# usage: check-ring.sh [--small] BUILD-FOLDER
#
# --small leaves out the largest configurations, where smaller ones show the
# same; the rest takes a third of the time.
#
# Runs spin over ring.pml, home.pml and told.pml, which lie beside this script,
# with many sets of parameters. Some of these mutate the model, and spin has to
# find an error in it: a model in which nothing can go wrong proves nothing.
# Prints one line per configuration, in the order in which they end. The exit
# status is 0 if every configuration had the expected result.
# Needs spin (6.5), cc, and about 1 GB of memory per processor. PAN_OPTIMISE is
# the compiler option for pan; -O1, the default, takes the least time overall.
#
#===------------------------------------------------------------------------===#

set -u

models=$(cd "$(dirname "$0")" && pwd)
small=
cache=$(command -v ccache)
[ "${1-}" = --small ] && small=yes && shift
[ $# -eq 1 ] || { echo "usage: $0 [--small] BUILD-FOLDER" >&2; exit 2; }
mkdir -p "$1" && build=$(cd "$1" && pwd) || exit 2
for tool in spin cc; do
  command -v "$tool" >/dev/null || { echo "$0: no $tool" >&2; exit 2; }
done

# check NUMBER MODEL safe|live EXPECTED OPTION...
#
# EXPECTED is `holds`, or the kind of error that pan has to find: an error of
# another kind would mean that the model is broken in some other way.
check() {
  local number=$1 model=$2 mode=$3 expected=$4
  shift 4
  local dir=$build/$number text="$model $mode $*"
  # The code that spin writes contains the model's path. Run beside a copy of
  # the model, spin writes the same code in every clone of the repository, so
  # that ccache may reuse what was compiled in another clone.
  rm -rf "$dir" && mkdir "$dir" && cd "$dir" && cp "$models"/*.pml . || return 1

  # The search in a mutated model is short: to optimise it would take longer.
  local compile=(-w "${PAN_OPTIMISE:--O1}")
  local spin=(spin "$@") pan=(./pan -m100000)
  [ "$expected" = holds ] || compile[1]=-O0
  # A smaller table of states: to clear the usual one takes longer than to search most of these.
  [ -z "$small" ] || pan+=(-w22)
  if [ "$mode" = live ]; then
    spin+=(-DLIVENESS)
    compile+=(-DNFAIR=3) # bits for up to about 20 processes
    pan+=(-a -f)
  else
    compile+=(-DSAFETY)
  fi
  if ! "${spin[@]}" -a "$model.pml" >spin.log 2>&1 ||
    ! $cache cc "${compile[@]}" -c pan.c >cc.log 2>&1 || ! cc -o pan pan.o; then
    echo "FAILED $text: see $dir/spin.log and cc.log"
    return 1
  fi
  "${pan[@]}" >pan.log 2>&1

  local states found
  states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
  found=$(sed -n 's/^pan:1: \(.*\) (at depth .*/\1/p' pan.log | head -1)
  # A search that was cut short finds no errors either: do not count it as ok.
  local cut='too small|out of memory|not completed'
  if [ -z "$found" ] &&
    { ! grep -q 'errors: 0$' pan.log || grep -qE "$cut" pan.log; }; then
    found="incomplete search"
  fi
  if [ "$expected" = holds ] && [ -z "$found" ]; then
    echo "ok     $text: errors: 0, $states states"
  elif [ "$expected" != holds ] && [[ $found == "$expected"* ]]; then
    echo "ok     $text: found: ${found%% (*}"
  else
    echo "FAILED $text: ${found:-errors: 0}; expected: $expected; see $dir"
    return 1
  fi
}

number=0
waited=0
failures=0
jobs=$(nproc 2>/dev/null || echo 2)
await() {
  wait -n || failures=$((failures + 1))
  waited=$((waited + 1))
}
add() { add_of ring "$@"; }
large() { large_of ring "$@"; }
large_of() { [ -n "$small" ] || add_of "$@"; }
add_of() {
  [ $((number - waited)) -lt "$jobs" ] || await
  number=$((number + 1))
  check "$number" "$@" &
}

# The longest configurations come first, so that no processor is idle at the
# end.
large safe holds -DPAIR -DSLOTS_A=1 -DSLOTS_B=2 -DCALLS=3 -DCHUNKS=2
large safe holds -DABORT -DCALLS=3 -DCHUNKS=2
# All pairs of slot counts. By default slots of variant A have 2 cells, those of
# variant B have 1.
for a in 1 2 3; do
  for b in 1 2 3; do
    [ $((a + b)) -gt 3 ] && kind=large || kind=add
    $kind safe holds -DSLOTS_A=$a -DSLOTS_B=$b
  done
done
# Slots of the same size: then slots of different layouts begin at the same
# addresses, too.
add safe holds -DSLOTS_A=2 -DSLOTS_B=3 -DCELLS_A=1
# If both variants have the same number of slots, tags may wrap as early as
# this.
large safe holds -DSLOTS_A=3 -DSLOTS_B=3 -DTAG_BITS=2
add safe holds -DPAIR -DCALLS=2 -DCHUNKS=2
add safe holds -DPAIR -DLEAF_LANES=1 -DCALLS=3 -DCHUNKS=2
add safe holds -DPAIR -DABORT -DFIXED -DCALLS=2 -DCHUNKS=3

large live holds -DCALLS=3 -DCHUNKS=2
add live holds -DCALLS=2 -DCHUNKS=2
add live holds -DSLOTS_A=1 -DSLOTS_B=3 -DFIXED -DCALLS=3 -DCHUNKS=4
add live holds -DABORT -DFIXED -DCALLS=3 -DCHUNKS=3
add live holds -DPAIR -DFIXED -DCALLS=2 -DCHUNKS=2
large live holds -DPAIR -DLEAF_LANES=1 -DFIXED -DCALLS=3 -DCHUNKS=2

for mutation in NO_CREDIT ONE_TOO_MANY NO_DRAIN SLOT_OF_CALL RESET_COUNTERS EARLY_FREED \
  NO_RELEASE NO_ACQUIRE NO_RELEASE_FREED NO_ACQUIRE_FREED; do
  add safe "assertion violated" -DMUTATE_$mutation
done
add safe "assertion violated" -DPAIR -DMUTATE_NO_CREDIT
add safe "assertion violated" -DPAIR -DMUTATE_RESET_COUNTERS
for mutation in NO_ABORT SILENT; do
  add safe "invalid end state" -DABORT -DMUTATE_$mutation
  add live "acceptance cycle" -DABORT -DFIXED -DMUTATE_$mutation
done

large_of home safe holds
add_of home safe holds -DSLOTS_HOME=1 -DSLOTS_OTHER=1 -DSLOTS_ALONE=1
for slots in "1 1 2" "2 1 1" "3 2 2" "2 2 1"; do
  read -r home other alone <<<"$slots"
  large_of home safe holds -DSLOTS_HOME=$home -DSLOTS_OTHER=$other -DSLOTS_ALONE=$alone
done
add_of home safe "assertion violated" -DMUTATE_NO_GATE
# No other ring may have more slots than the home.
add_of home safe "assertion violated" -DSLOTS_HOME=1 -DSLOTS_OTHER=2

large_of told safe holds
add_of told safe holds -DSLOTS=1
for mutation in NO_DRAIN NO_LAST NO_READER; do
  add_of told safe "assertion violated" -DMUTATE_$mutation
done
add_of told safe "invalid end state" -DMUTATE_NO_FREED

while [ "$waited" -lt "$number" ]; do
  await
done
echo "$number configurations, $failures not as expected"
[ "$failures" -eq 0 ]
