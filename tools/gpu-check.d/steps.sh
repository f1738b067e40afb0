# Steps with limits, their results, and the report; read by tools/gpu-check.sh.
#
# The record is a folder that later calls continue: rows/PART-STEP has a step's row of the report and, if the step
# failed, the name of its log. The folder also has logs and measurements.

record=$build/record
rows=$record/rows logs=$record/logs measured=$record/measured
no_time="there was no time left; --rest runs it"

# begin_results: removes the record of another GPU or commit, and that of an earlier run of all parts.
begin_results() {
  cuda=$("${nvcc:-false}" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p' || true)
  commit=$(git rev-parse --short HEAD 2>/dev/null || echo "of no commit")
  # Sources are edited between calls, and where they are tried there may be no repository.
  if [ "$commit" = "of no commit" ] || [ -n "$(git status --porcelain 2>/dev/null)" ]; then
    commit="$commit, sources $({ find runtime schedules test/{common,conformance,storm,gpu} tools/{blink-perf,gpu-check.d} \
      -type f ! -name '*.pyc' 2>/dev/null || true; } | LC_ALL=C sort | xargs cat | sha256sum | cut -c1-8)"
  fi
  local machine="GPU: $gpu (of $gpus); driver $driver; CUDA $cuda; kernels for $architecture; Blink $commit"
  if [ "$machine" != "$(cat "$record/machine" 2>/dev/null)" ] || [ -z "$named$rest" ]; then
    rm -rf "$record"
  fi
  mkdir -p "$output" "$rows" "$logs" "$measured"
  rm -f "$output"/{report.md,gpu-results.md,gpu-check.tar.gz}
  echo "$machine" >"$record/machine"
}

# begin_part PART: starts a part; its steps follow.
begin_part() {
  number=0
  # Parts that the caller named start anew.
  case " $named " in *" $1 "*) [ -n "$rest" ] || rm -f "$rows/$1-"* ;; esac
}

# keep_ends FILE: of a log of more than 1 MiB, keeps the first and last half MiB. The archive has all logs.
keep_ends() {
  local size
  size=$(stat -c %s "$1" 2>/dev/null || echo 0)
  [ "$size" -gt $((1 << 20)) ] || return 0
  { head -c $((1 << 19)) "$1"; printf '\n... %d bytes are left out ...\n' $((size - (1 << 20))); tail -c $((1 << 19)) "$1"; } \
    >"$1.ends"
  mv "$1.ends" "$1"
}

# is_built: whether the part build has succeeded.
is_built() { grep -q '^| build | ok ' "$rows/build-001" 2>/dev/null; }

# row RESULT DETAIL: writes the row of the current step.
row() {
  echo "| $step | $1 | $((SECONDS - begun)) | ${2//|/,} |" >"$rows/$part-$number"
  case $1 in FAILED* | unfinished*) [ ! -s "$log" ] || echo "$log" >>"$rows/$part-$number" ;; esac
  echo "gpu-check: $part: $step: $1 ($((SECONDS - begun)) s) $2" >&2
}

# begin_step NAME: returns whether to run the step now. Sets step, number and log.
begin_step() {
  step=$1 begun=$SECONDS
  number=$(printf %03d $((10#$number + 1)))
  log=$logs/$part-$number.log
  if [ -e "$rows/$part-$number" ] && ! grep -qF "$no_time" "$rows/$part-$number"; then
    return 1
  fi
  if [ $((total - SECONDS)) -lt 5 ]; then
    rm -f "$log"
    row "not run" "$no_time"
    return 1
  fi
}

# shorter SECONDS: prints that limit or the time left for everything, whichever is shorter.
shorter() {
  local left=$((total - SECONDS))
  [ "$left" -gt 0 ] || left=1
  echo $((left < $1 ? left : $1))
}

# attempt SECONDS COMMAND...: runs the command of a step for at most this long, and not beyond the time for everything.
# Returns 0 if it ended, with its exit code in `code`. Otherwise returns 1 after writing a row with the result in
# `hung`.
hung=FAILED
attempt() {
  local limit=$1 here
  here=$(shorter "$1")
  shift
  # In the background, so that a signal is acted upon at once, and what not even SIGKILL ends is left behind.
  timeout --kill-after=5 "$here" "$@" >"$log" 2>&1 &
  child=$!
  sleep $((here + 15)) &
  watch=$!
  code=0
  wait -n "$child" "$watch" || code=$?
  if kill "$watch" 2>/dev/null; then
    wait "$watch" 2>/dev/null || true
  else
    code=137
  fi
  child=''
  keep_ends "$log"
  [ $code = 124 ] || [ $code = 137 ] || return 0
  if [ "$here" -lt "$limit" ] && [ $((total - SECONDS)) -lt 5 ]; then
    row "not run" "$no_time"
  else
    row "$hung" "did not end within $limit s"
  fi
  return 1
}

# Prints the last line of a log, whatever bytes that has.
last_line() { grep -a -v '^[[:space:]]*$' "$1" | tail -1 | LC_ALL=C tr -cd '\11\40-\176' | cut -c1-200; }

# Whether the command reported that the GPU has no room for the lanes.
is_too_small() { grep -q 'can run there at the same time' "$log"; }
too_small="the GPU is too small for so many lanes a rank"

# run_step NAME SECONDS COMMAND...: runs a step that succeeds if its command does. The row has the command's last line.
run_step() {
  begin_step "$1" || return 0
  attempt "${@:2}" || return 0
  if [ $code = 0 ]; then
    row ok "$(last_line "$log")"
  elif is_too_small; then
    row "not run" "$too_small"
  else
    row FAILED "exit code $code; $(last_line "$log")"
  fi
}

# skip_step NAME WHY
skip_step() {
  begin_step "$1" || return 0
  rm -f "$log"
  row "not run" "$2"
}

# write_report: prints all rows.
write_report() {
  local part file where
  echo "# GPU check"
  echo
  cat "$record/machine"
  for part in "${order[@]}"; do
    printf '\n## %s\n\n' "$part"
    if ! compgen -G "$rows/$part-*" >/dev/null; then
      echo "Not run."
      continue
    fi
    echo "| step | result | seconds | |"
    echo "|---|---|---|---|"
    for file in "$rows/$part-"*; do head -1 "$file"; done
    for file in "$rows/$part-"*; do
      where=$(sed -n 2p "$file")
      [ -n "$where" ] || continue
      printf '\nThe end of `%s`:\n\n```\n' "${where#"$record/"}"
      tail -30 "$where" | LC_ALL=C tr -cd '\11\12\40-\176' | cut -c1-300
      echo '```'
    done
  done
}

# write_results: writes the results of this call and of those before it. It is called after each part, since whoever
# ends the run by force gets only what is there.
write_results() {
  write_report >"$output/report.md"
  if compgen -G "$measured/*.json" >/dev/null; then
    python3 -c 'import json, sys; print(json.dumps(dict(word.split("=", 1) for word in sys.argv[1:])))' \
      "gpu=$gpu" "driver=$driver" "cuda=$cuda" "architecture=$architecture" "blink=$commit" \
      "lanes=$(cat "$record/lanes" 2>/dev/null)" "date=$(date -u +%F)" >"$measured/about.json" || true
    python3 tools/gpu-check.d/tests.py "$rows" >"$measured/tests.json" || true
    is_page=
    ! python3 tools/gpu-report "$measured" >"$output/gpu-results.md" || is_page=1
  fi
  local archive=$build/gpu-check.tar.gz
  tar -czf "$archive" -C "$record" . -C "$output" $(cd "$output" && ls report.md gpu-results.md 2>/dev/null)
  mv "$archive" "$output/gpu-check.tar.gz"
}

# interrupted CODE: ends the step at work and the run, with the results so far.
interrupted() {
  trap '' TERM INT HUP
  [ -z "${child-}" ] || kill "$child" 2>/dev/null || true
  [ -z "${watch-}" ] || kill "$watch" 2>/dev/null || true
  write_results
  echo "gpu-check: was stopped by a signal; --rest continues" >&2
  exit "$1"
}

# finish: says what the results are, which have been written.
finish() {
  local failed=0 left
  cat "$output/report.md"
  ! grep -qs '^|.*| FAILED |' "$rows"/* || failed=1
  if [ -e "$output/gpu-results.md" ]; then
    if [ -n "$is_page" ]; then
      echo
      cat "$output/gpu-results.md"
    else
      echo "gpu-check: gpu-report failed; $measured has what was measured" >&2
      failed=1
    fi
  fi
  left=$(grep -lF "$no_time" "$rows"/* 2>/dev/null | wc -l || true)
  [ "$left" = 0 ] || echo "gpu-check: no time was left for $left steps; --rest runs them" >&2
  echo "gpu-check: $output/report.md" >&2
  exit $failed
}
