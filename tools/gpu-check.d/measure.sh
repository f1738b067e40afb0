# The parts of tools/gpu-check.sh that measure; read by it.

bench=$build/tools/gpu-check.d/blink-gpu-bench

# lanes: prints the lanes per rank that the GPU has room for.
lanes() {
  local log=$logs/lanes.log
  if [ ! -e "$record/lanes" ]; then
    timeout --kill-after=5 "$(shorter 20)" "$perf" --backend cuda --ranks 8 --devices 0 --self-test \
      test/gpu/allreduce.16.sched >"$log" 2>&1 || true
    if is_too_small; then echo 4; else echo 16; fi >"$record/lanes"
  fi
  cat "$record/lanes"
}

# measure NAME SECONDS COMMAND...: writes a measurement to measured/NAME.json; if it fails, NAME.failed has the reason.
# blink-gpu-bench prints the JSON; blink-perf writes the file itself.
measure() {
  local name=$1 limit=$2 json=$measured/$1.json why
  shift 2
  begin_step "$name" || return 0
  rm -f "$measured/$name.failed" "$json"
  if [ "$1" = "$bench" ]; then
    set -- bash -c '"${@:2}" >"$1"' measure "$json" "$@"
  else
    set -- "$@" -J "$json"
  fi
  if ! attempt "$limit" "$@"; then
    sed -n '1s/.*| \(.*\) |$/\1/p' "$rows/$part-$number" >"$measured/$name.failed"
    return 0
  fi
  if [ $code = 0 ]; then
    row ok ""
    return
  fi
  why=$(last_line "$log")
  why="exit code $code; ${why:-it said nothing}"
  if is_too_small; then
    why=$too_small
    row "not run" "$why"
  else
    row FAILED "$why"
  fi
  echo "$why" >"$measured/$name.failed"
}

part_calibration() {
  measure lanes 60 "$bench" lanes $((256 << 20))
  measure folds 60 "$bench" folds $((64 << 20))
  measure queues 60 "$bench" queues 150
}

# measure_large NAME COLLECTIVE TYPE
measure_large() {
  measure "$1" 60 "$perf" --backend cuda --ranks 8 --devices 0 -b 256M -e 256M -d "$3" -n 10 -w 2 -c 1 \
    "test/gpu/$2.$(lanes).sched"
}

part_measure() {
  local i lanes collective
  local schedules=(test/gpu/{allreduce,allgather,broadcast}."$(lanes)".sched)
  # First what takes seconds, and what others are compared with.
  measure copy 30 "$bench" copy $((1 << 30))
  measure launch 30 "$bench" launch "${schedules[@]}"
  measure traffic 10 "$bench" traffic $((256 << 20)) "${schedules[@]}"
  for collective in allreduce allgather broadcast; do
    measure_large "large-$collective" "$collective" float
    measure_large "large-$collective-bfloat16" "$collective" bfloat16
  done
  measure calls 30 "$bench" calls "${schedules[0]}"
  local small=("$perf" --backend cuda --ranks 8 --devices 0 -b 8 -e 32K -n 200 -w 20 "${schedules[0]}")
  measure small 30 "${small[@]}"
  measure small-graph 30 "${small[@]}" -G 20
  for i in 1 2 3; do
    measure "start-$i" 30 "$bench" start "${schedules[0]}"
  done
  for lanes in 16 4; do
    measure "perf-$lanes" 40 "$perf" --backend cuda --ranks 8 --devices 0 -b 1K -e 64M -f 4 \
      test/gpu/*."$lanes".sched
  done
}
