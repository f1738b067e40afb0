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

/// Runs in the helper: makes the folder, says so at `made`, and removes the
/// folder when `alive` has no more writers. Thus the folder never exists
/// without a process that will remove it.
[[noreturn]] void TraceFolder::help(int alive, int made) {
  // Ctrl-C is not meant for the helper. The process may end before it reads the
  // answer.
  setsid();
  signal(SIGPIPE, SIG_IGN);
  const int error = mkdtemp(path_.data()) ? 0 : errno;
  std::string answer(reinterpret_cast<const char *>(&error), sizeof error);
  answer += path_;
  // A single write, so that the other end reads all of it.
  const bool told =
      ::write(made, answer.data(), answer.size()) == ssize_t(answer.size());
  // Whoever waits for the end of a file must not wait for the helper.
  dup2(alive, 0);
  for (long file = 1, most = sysconf(_SC_OPEN_MAX);
       file < std::min(most, 4096L); ++file)
    close(int(file));
  char byte;
  while (told && error == 0 && ::read(0, &byte, 1) == -1 && errno == EINTR)
    ;
  if (error == 0)
    removeFolder(path_);
  _exit(0);
}

/// Lets a helper process make the folder. Returns 0, an error number, or -1 if
/// there is no helper.
int TraceFolder::makeInHelper() {
  int alive[2], made[2];
  if (pipe2(alive, O_CLOEXEC) != 0)
    return -1;
  if (pipe2(made, O_CLOEXEC) != 0) {
    close(alive[0]);
    close(alive[1]);
    return -1;
  }
  helper_ = fork();
  if (helper_ == 0) {
    close(alive[1]);
    help(alive[0], made[1]);
  }
  close(alive[0]);
  close(made[1]);
  alive_ = alive[1];
  int error = -1;
  std::string answer(sizeof error + path_.size(), '\0');
  ssize_t size = 0;
  while (helper_ != -1 &&
         (size = ::read(made[0], answer.data(), answer.size())) == -1 &&
         errno == EINTR)
    ;
  close(made[0]);
  if (size == ssize_t(answer.size())) {
    std::memcpy(&error, answer.data(), sizeof error);
    if (error == 0)
      path_ = answer.substr(sizeof error);
  }
  if (error != 0)
    stopHelper();
  return error;
}

void TraceFolder::stopHelper() {
  if (helper_ != -1) {
    kill(helper_, SIGKILL);
    while (waitpid(helper_, nullptr, 0) == -1 && errno == EINTR)
      ;
  }
  close(alive_);
  helper_ = -1;
}

TraceFolder::TraceFolder() {
  const char *folder = std::getenv("TMPDIR");
  path_ =
      std::string(folder && *folder ? folder : "/tmp") + "/blink-trace-XXXXXX";
  int error = makeInHelper();
  // Without a helper, only signals leave the folder behind.
  if (error == -1)
    error = mkdtemp(path_.data()) ? 0 : errno;
  if (error != 0)
    throw std::runtime_error(path_ + ": cannot make this folder for traces: " +
                             std::strerror(error));
  setenv("BLINK_TRACE", (path_ + "/%p.trace").c_str(), 1);
}

TraceFolder::~TraceFolder() {
  unsetenv("BLINK_TRACE");
  if (helper_ != -1)
    stopHelper();
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
         double(fold.waited) * 1e-3, fold.variant, fold.step, fold.chunk,
         fold.bytes, fold.moved});
  return trace;
}

} // namespace blink::perf
