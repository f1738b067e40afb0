//===- FoldTrace.cpp - the files that BLINK_TRACE writes ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/FoldTrace.h"

#include "schedules/trace/PerfettoTrace.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace blink::perf {
namespace {

void removeFolder(const std::string &path) {
  std::error_code ignored; // it only leaves files in a temporary folder
  std::filesystem::remove_all(path, ignored);
}

} // namespace

/// Without the helper, only signals leave the folder behind, so errors do not
/// matter.
void TraceFolder::startHelper() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return;
  helper_ = fork();
  if (helper_ == 0) {
    // Ctrl-C is not meant for the helper, nor do files that it has open matter
    // to whoever waits for their end.
    setsid();
    dup2(ends[0], 0);
    for (long file = 1, most = sysconf(_SC_OPEN_MAX);
         file < std::min(most, 4096L); ++file)
      close(int(file));
    char byte;
    while (::read(0, &byte, 1) == -1 && errno == EINTR)
      ;
    removeFolder(path_);
    _exit(0);
  }
  close(ends[0]);
  if (helper_ == -1)
    close(ends[1]);
  else
    alive_ = ends[1];
}

TraceFolder::TraceFolder() {
  const char *folder = std::getenv("TMPDIR");
  path_ =
      std::string(folder && *folder ? folder : "/tmp") + "/blink-trace-XXXXXX";
  if (!mkdtemp(path_.data()))
    throw std::runtime_error(path_ + ": cannot make this folder for traces: " +
                             std::strerror(errno));
  startHelper();
  setenv("BLINK_TRACE", (path_ + "/%p.trace").c_str(), 1);
}

TraceFolder::~TraceFolder() {
  unsetenv("BLINK_TRACE");
  if (helper_ != -1) {
    kill(helper_, SIGKILL);
    while (waitpid(helper_, nullptr, 0) == -1 && errno == EINTR)
      ;
    close(alive_);
  }
  removeFolder(path_);
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
