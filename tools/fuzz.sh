#!/usr/bin/env bash
# Fuzzes each reader of Blink (docs/fuzzing.md).
#
#   tools/fuzz.sh                     every target of test/fuzz, one minute each
#   tools/fuzz.sh topology            one target
#   tools/fuzz.sh topology,plan 3600  two targets, one hour each
#   tools/fuzz.sh all 3600
#
# Runs one target per processor at a time. Installs clang if it is missing, and builds the targets with AddressSanitizer
# and UndefinedBehaviorSanitizer. Corpora grow from run to run in build/fuzz/corpus/TARGET, and build/fuzz/runs.tsv has
# one line per run: time, target, seconds, inputs, edges and features covered. The last line is "N inputs, 0 crashes".
# Exit code 1 if an input crashed, leaked, took over 1 GB, or over 10 s twice; the lines before name its file, and give
# its bytes if they are few. The other targets continue.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' tools/fuzz.sh; }
case "${1-}" in -h | --help) usage && exit 0 ;; esac
seconds=${2-60}
if [ $# -gt 2 ] || ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: tools/fuzz.sh [TARGET,... | all] [SECONDS]" >&2
  exit 2
fi
tools/install-deps.sh --fuzz

build=build/fuzz
mkdir -p $build/crashes
if ! cmake --preset fuzz >$build/configure.log 2>&1 || ! cmake --build --preset fuzz >$build/build.log 2>&1; then
  tail -n 40 $build/*.log >&2
  exit 1
fi
known=$(cd $build/test/fuzz && ls -- *.seeds | sed 's/\.seeds$//')
wanted=${1-all}
[ "$wanted" = all ] && wanted=$known || wanted=${wanted//,/ }

for target in $wanted; do
  if ! [ -e "$build/test/fuzz/$target.seeds" ]; then
    echo "fuzz: no target '$target'; there are" $known >&2
    exit 2
  fi
done

# Runs one target and adds its line to runs.tsv. Returns 1 if something crashed.
fuzz() {
  local target=$1 failed=false
  local corpus=$build/corpus/$target log=$build/$target.log
  mkdir -p "$corpus"
  mapfile -t arguments <"$build/test/fuzz/$target.arguments"
  mapfile -t seeds <"$build/test/fuzz/$target.seeds"
  echo "fuzz: $target, $seconds s" >&2
  touch "$build/$target.begin"
  "$build/test/fuzz/blink_fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1536 -malloc_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$build/crashes/$target-" "${arguments[@]}" "$corpus" "${seeds[@]}" \
    >"$log" 2>&1 || failed=true
  # Some failures have no input, for example a leak over the whole run.
  if $failed; then
    file=$(find $build/crashes -name "$target-*" -newer "$build/$target.begin" | head -n 1)
    # A machine may stand still for 10 s, too.
    if [[ $file == */"$target"-timeout-* ]] &&
      "$build/test/fuzz/blink_fuzz_$target" -timeout=10 "${arguments[@]}" "$file" >"$log.again" 2>&1; then
      echo "fuzz: $target: $file took over 10 s once, and not again" >&2
      failed=false
    fi
  fi
  if $failed; then
    grep -m 1 -E 'ERROR: |runtime error: |not so: ' "$log" >&2 || tail -n 5 "$log" >&2
    echo "fuzz: $target: ${file:+$file does it; }all of it is in $log" >&2
    # A log may be all that is left of this machine.
    if [ -n "$file" ] && [ "$(stat -c %s "$file")" -le 4096 ]; then
      echo "fuzz: $target: base64 -d <<<'$(base64 -w 0 "$file")'" >&2
    fi
  fi
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  inputs=${inputs:-$(grep -oE '^#[0-9]+' "$log" | tail -n 1 | tr -d '#' || true)}
  covered=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -n 1 | sed 's/cov: //;s/ ft: /\t/' || true)
  printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%FT%TZ)" "$target" "$seconds" "${inputs:-0}" "$covered" >>$build/runs.tsv
  ! $failed
}

touch $build/runs.tsv
lines=$(wc -l <$build/runs.tsv) crashes=0 running=0
for target in $wanted; do
  if [ $running = "$(nproc)" ]; then
    wait -n || crashes=$((crashes + 1))
    running=$((running - 1))
  fi
  fuzz "$target" &
  running=$((running + 1))
done
for ((; running > 0; --running)); do
  wait -n || crashes=$((crashes + 1))
done
total=$(tail -n "+$((lines + 1))" $build/runs.tsv | awk -F '\t' '{ sum += $4 } END { print sum + 0 }')
echo "$total inputs, $crashes crashes"
[ $crashes = 0 ]
