//===- FoldTrace.cpp - the files that BLINK_TRACE writes ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/FoldTrace.h"

#include "schedules/trace/PerfettoTrace.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace blink::perf {

TraceFolder::TraceFolder() {
  const char *folder = std::getenv("TMPDIR");
  path_ =
      std::string(folder && *folder ? folder : "/tmp") + "/blink-trace-XXXXXX";
  if (!mkdtemp(path_.data()))
    throw std::runtime_error(path_ + ": cannot make this folder for traces: " +
                             std::strerror(errno));
  setenv("BLINK_TRACE", (path_ + "/%p.trace").c_str(), 1);
}

TraceFolder::~TraceFolder() {
  unsetenv("BLINK_TRACE");
  std::error_code ignored; // it only leaves files in a temporary folder
  std::filesystem::remove_all(path_, ignored);
}

std::string TraceFolder::bytes() const {
  std::set<std::filesystem::path> paths; // in the same order everywhere
  for (const auto &entry : std::filesystem::directory_iterator(path_))
    paths.insert(entry.path());
  std::string all;
  for (const std::filesystem::path &path : paths) {
    std::ifstream file(path, std::ios::binary);
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

FoldTrace TraceFolder::read() const {
  sched::ReplayTrace replay;
  const std::string error = sched::fromPerfetto(bytes(), replay);
  if (!error.empty())
    throw std::runtime_error(path_ + ": traces of ranks: " + error);
  FoldTrace trace;
  for (const sched::TracedFold &fold : replay.folds)
    trace[{int(fold.rank), fold.lane}].push_back(
        {double(fold.begin) * 1e-3, double(fold.end) * 1e-3,
         double(fold.waited) * 1e-3, fold.step, fold.chunk, fold.bytes,
         fold.moved});
  return trace;
}

} // namespace blink::perf
