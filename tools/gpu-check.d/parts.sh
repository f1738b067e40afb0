# The parts of tools/gpu-check.sh that test; read by it.

test=$build/test/conformance/blink_cuda_test
perf=$build/tools/blink-perf/blink-perf

part_build() {
  local targets=(blink_cuda_test blink-perf blink-gpu-bench)
  [ ! -e test/storm/CMakeLists.txt ] || targets+=(blink_storm_cuda)
  # A build is always tried, and continues where it stopped.
  rm -f "$rows/build-"*
  if [ -n "$built" ]; then
    run_step build 30 "$perf" --version
    return
  fi
  run_step build 500 bash -ec '
    build=$1 targets=$2; shift 2
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBLINK_BUILD_COMPILER=OFF -DBLINK_CUDA=ON \
      -DBLINK_WERROR=OFF "$@"
    ninja -C "$build" $targets
  ' build "$build" "${targets[*]}" "-DBLINK_CUDA_ARCHITECTURES=$architecture" "${header_options[@]}"
}

part_first() {
  local lanes
  for lanes in 16 4; do
    local command=("$perf" --backend cuda --ranks 8 --devices 0 test/gpu/*."$lanes".sched)
    run_step "self-test, $lanes lanes" 60 "${command[@]}" --self-test
    run_step "8 B to 1 MiB, $lanes lanes" 60 "${command[@]}" -b 8 -e 1M -n 2 -w 1 -c 1
    run_step "1 to 64 MiB, $lanes lanes" 90 "${command[@]}" -b 1M -e 64M -f 4 -n 2 -w 1 -c 1
  done
}

# run_cases FILTERS...: runs the cases of blink_cuda_test that doctest's filters select, each in a process of its own.
run_cases() {
  local list name cases
  list=$(timeout --kill-after=5 "$(shorter 20)" "$test" --list-test-cases "$@" 2>&1 |
    awk '/^=+$/ { inside = !inside; next } inside' || true)
  if [ -z "$list" ]; then
    begin_step "list of cases" || return 0
    row FAILED "blink_cuda_test lists none"
    return
  fi
  while IFS= read -r name; do
    begin_step "$name" || continue
    # A comma would end the filter, so it becomes a wildcard.
    attempt 60 "$test" --test-case="${name//,/?}" || continue
    cases=$(sed -n 's/.*\(test cases:.*\)/\1/p' "$log" | tr -s ' ')
    if [ $code != 0 ] || [ -z "$cases" ]; then
      row FAILED "exit code $code; ${cases:-$(last_line "$log")}"
    else
      row ok "$cases"
    fi
  done <<<"$list"
}

# Every case is in one of these three parts, except for the whole matrix, which takes hours.
apart='*LateReaderTest*,*ChainTest*'
whole='the whole matrix of*'
part_conformance() { run_cases --source-file-exclude="$apart" --test-case-exclude="*process*,$whole"; }
part_launches() { run_cases --source-file="$apart"; }
part_processes() { run_cases --source-file-exclude="$apart" --test-case='*process*'; }

part_storm() {
  local storm=$build/test/storm/blink_storm_cuda
  if [ -x "$storm" ]; then
    run_step storm 90 "$storm" --seconds 60 --verbose
  else
    skip_step storm "this tree has none"
  fi
}

part_profile() {
  local ncu type size
  ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -1 || true)
  for type in float bfloat16; do
    for size in 8 32K 64M; do
      if [ -z "$ncu" ]; then
        skip_step "allreduce, $type, $size" "ncu is not on PATH"
      else
        profile "$ncu" "$type" "$size"
      fi
    done
  done
}

# Metrics that show where a lane's time goes.
metrics=(gpu__time_duration.sum dram__throughput.avg.pct_of_peak_sustained_elapsed
  l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio
  smsp__average_warps_issue_stalled_membar_per_issue_active.ratio
  smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
  sm__cycles_active.avg.pct_of_peak_sustained_elapsed)
# profile NCU TYPE SIZE: profiles one launch of an allreduce, after some that are skipped. All ranks are in that launch.
# Each pass is a run of its own: a replayed kernel would find the numbers of its chunks already in use. Clocks are left
# as they are: ncu's default is the base clock, which a run that is killed might leave behind.
profile() {
  begin_step "allreduce, $2, $3" || return 0
  hung=unfinished attempt 75 "$1" --clock-control none --replay-mode application --launch-skip 3 --launch-count 1 --csv \
    --kernel-name 'regex:laneKernel|wideKernel' --metrics "$(IFS=,; echo "${metrics[*]}")" \
    "$perf" --backend cuda --ranks 8 --devices 0 -b "$3" -e "$3" -d "$2" -n 4 -w 2 -c 0 \
    "test/gpu/allreduce.$(lanes).sched" || return 0
  local values
  values=$(python3 tools/gpu-check.d/metrics.py "$log")
  if [ $code = 0 ] && [ -n "$values" ]; then
    row ok "$values"
  elif grep -aqiE 'ERR_NVGPUCTRPERM|no kernels were profiled|not supported|permission|LibraryNotLoaded' "$log"; then
    row "not run" "ncu does not accept the device: $(grep -m1 '==ERROR==\|==WARNING==' "$log" | cut -c1-200)"
  else
    row FAILED "exit code $code; $(last_line "$log")"
  fi
}

part_sanitize() {
  local sanitizer tool name
  sanitizer=$(command -v compute-sanitizer ||
    ls /usr/local/cuda/compute-sanitizer/compute-sanitizer 2>/dev/null || true)
  for tool in memcheck synccheck racecheck initcheck; do
    for name in "one launch: chunks and tags" "one launch: larger and smaller chunks in turn" \
      "one launch: lines of data and flag" "one launch: chunks through the host"; do
      if [ -z "$sanitizer" ]; then
        skip_step "$tool, $name" "compute-sanitizer is not on PATH"
      else
        sanitize "$sanitizer" "$tool" "$name"
      fi
    done
  done
}

# sanitize SANITIZER TOOL CASE
sanitize() {
  begin_step "$2, $3" || return 0
  hung=unfinished attempt 60 env BLINK_TIMEOUT_MS=40000 "$1" --tool "$2" --error-exitcode 9 "$test" --test-case="$3" ||
    return 0
  local refusal summary
  refusal=$(grep -iE -m1 'not supported|no attachable process|permission|unable to|failed to (start|launch|attach)' \
    "$log" || true)
  summary=$(sed -n 's/^=* *\(\(ERROR\|RACECHECK\) SUMMARY.*\)/\1/p' "$log" | tail -1)
  if [ $code != 0 ] && [ -n "$refusal" ]; then
    row "not run" "compute-sanitizer does not accept the device: $refusal"
  elif [ $code != 0 ] || [ -z "$summary" ]; then
    row FAILED "exit code $code; ${summary:-$(last_line "$log")}"
  elif ! grep -q 'test cases:.* 1 passed' "$log"; then
    row FAILED "the case did not run"
  else
    row ok "$summary"
  fi
}

part_gpus() {
  case $all in
    *,*) ;;
    *)
      skip_step "all GPUs" "there is one GPU"
      return
      ;;
  esac
  CUDA_VISIBLE_DEVICES=$all run_cases --test-case-exclude="$whole"
  CUDA_VISIBLE_DEVICES=$all run_step "memory on the first GPU of a process that uses the second" 60 \
    bash tools/gpu-check.d/contexts.sh "${all%%,*}" "$perf" --backend cuda --ranks 8 --devices 1 -b 64M -e 64M -n 200 \
    -c 0 "test/gpu/allreduce.$(lanes).sched"
}
