//===- Workers.h - jobs of several processes --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Starts a worker (Worker.cpp) for each rank and collects their output.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_WORKERS_H
#define BLINK_TEST_CONFORMANCE_WORKERS_H

#include "test/conformance/Job.h"
#include "test/conformance/ScheduleOnDisk.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace blink::test {

/// Returns {2, more}, or only {2} under sanitizers: the two jobs differ only in
/// their number of processes.
inline std::vector<int> twoRanksOr(int more) {
  return kSanitized ? std::vector<int>{2} : std::vector<int>{2, more};
}

/// Returns the path of the worker program beside this one:
/// blink_emulated_worker for blink_emulated_test.
inline std::string workerProgram() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  std::string program(path, size_t(std::max<ssize_t>(size, 0)));
  return program.substr(0, program.rfind("_test")) + "_worker";
}

inline std::string hex(const blinkUniqueId &id) {
  std::string text;
  char two[3];
  for (char byte : id.internal) {
    std::snprintf(two, sizeof(two), "%02x", unsigned(byte) & 0xff);
    text += two;
  }
  return text;
}

struct Outcome {
  std::string line;
  int status; ///< as from pclose
  bool good() const { return status == 0 && line == "good"; }
  bool has(const char *part) const {
    return line.find(part) != std::string::npos;
  }
};

/// Workers for some ranks, all with the same id, which run until they are
/// collected. Several such jobs may run at the same time: a job whose ranks die
/// spends most of its time waiting.
class RunningWorkers {
public:
  RunningWorkers(const char *schedule, int numRanks,
                 const std::vector<int> &ranks, int timeoutMs,
                 const std::string &scenario, const blinkUniqueId &id);
  std::vector<Outcome> collect();

private:
  std::vector<FILE *> pipes_;
};

inline RunningWorkers::RunningWorkers(const char *schedule, int numRanks,
                                      const std::vector<int> &ranks,
                                      int timeoutMs,
                                      const std::string &scenario,
                                      const blinkUniqueId &id) {
  setenv("BLINK_TEST_ID", hex(id).c_str(), 1);
  if (kSanitized) // a process may be late with its signs of life
    setenv("BLINK_HEARTBEAT_MS", "2000", 0);
  for (int rank : ranks) {
    std::string command = std::string("exec ") + workerProgram() + " " +
                          schedule + " " + std::to_string(numRanks) + " " +
                          std::to_string(rank) + " " +
                          std::to_string(timeoutMs) + " " + scenario;
    pipes_.push_back(popen(command.c_str(), "r"));
    REQUIRE(static_cast<bool>(pipes_.back()));
  }
}

inline std::vector<Outcome> RunningWorkers::collect() {
  std::vector<Outcome> outcomes;
  for (FILE *pipe : pipes_) {
    char line[2000] = "";
    if (std::fgets(line, sizeof(line), pipe))
      line[strcspn(line, "\n")] = '\0';
    outcomes.push_back({line, pclose(pipe)});
  }
  pipes_.clear();
  return outcomes;
}

inline std::vector<Outcome> runWorkers(const char *schedule, int numRanks,
                                       const std::vector<int> &ranks,
                                       int timeoutMs,
                                       const std::string &scenario,
                                       const blinkUniqueId &id) {
  return RunningWorkers(schedule, numRanks, ranks, timeoutMs, scenario, id)
      .collect();
}

inline std::vector<int> upTo(int n) {
  std::vector<int> list;
  for (int i = 0; i < n; ++i)
    list.push_back(i);
  return list;
}

inline blinkUniqueId makeId() {
  blinkUniqueId id;
  REQUIRE(blinkGetUniqueId(&id) == blinkSuccess);
  return id;
}

inline std::vector<Outcome> runAll(const TestSchedule &model, int numRanks,
                                   const std::string &scenario,
                                   int timeoutMs = 20000) {
  ScheduleOnDisk file(model);
  return runWorkers(file.path(), numRanks, upTo(numRanks), timeoutMs, scenario,
                    makeId());
}

/// Checks that every process reports success.
inline void expectGood(const TestSchedule &model, int numRanks,
                       const std::string &scenario) {
  CAPTURE(scenario);
  CAPTURE(numRanks);
  for (const Outcome &outcome : runAll(model, numRanks, scenario)) {
    CAPTURE(outcome.line);
    CHECK(outcome.good());
  }
}

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_WORKERS_H
