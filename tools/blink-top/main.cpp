//===- main.cpp - blink-top -----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/PictureReader.h"
#include "runtime/flight/PictureText.h"
#include "tools/blink-top/Options.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

using namespace blink;
using namespace blink::runtime;

namespace {

enum ExitCode { kGood = 0, kNoJob = 1, kBadCall = 2 };

/// Writes out what standard output has buffered. Returns false if that fails or
/// any write before failed: a text that does not fit into the buffer is written
/// by std::fputs, and nothing is left to fail later.
bool flushOutput() { return std::fflush(stdout) == 0 && !std::ferror(stdout); }

int complain(const std::string &sentence, ExitCode code) {
  std::fflush(stdout);
  std::fprintf(stderr, "blink-top: error: %s\n", sentence.c_str());
  return code;
}

std::vector<JobPicture> takePictures(const top::Options &options) {
  std::vector<JobPicture> jobs = readJobs();
  // A job whose processes were all killed is shown only if its process is
  // named.
  const auto isAsked = [&](const RankPicture &rank) {
    return rank.known &&
           (options.process != 0 ? rank.process == options.process
                                 : rank.liveness != Liveness::dead);
  };
  const auto isOther = [&](const JobPicture &job) {
    return std::none_of(job.ranks.begin(), job.ranks.end(), isAsked);
  };
  jobs.erase(std::remove_if(jobs.begin(), jobs.end(), isOther), jobs.end());
  return jobs;
}

std::string jsonOf(const std::vector<JobPicture> &jobs, bool history) {
  std::string text = "[";
  for (const JobPicture &job : jobs)
    text +=
        (text.size() == 1 ? "" : ",\n") + toJson(job, diagnose(job), history);
  return text + "]\n";
}

std::string textOfAll(const std::vector<JobPicture> &jobs) {
  std::string text;
  for (const JobPicture &job : jobs)
    text += (text.empty() ? "" : "\n") + toText(job, diagnose(job));
  return text.empty() ? "no jobs\n" : text;
}

int run(int argc, char **argv) {
  top::Options options;
  if (!top::parseOptions(argc, argv, options)) // help, or the like
    return flushOutput() ? kGood
                         : complain("standard output: cannot write", kBadCall);
  for (;;) {
    const std::vector<JobPicture> jobs = takePictures(options);
    if (jobs.empty() && options.process != 0)
      return complain("process " + std::to_string(options.process) +
                          " has no communicators here",
                      kNoJob);
    // Each update overwrites the one before and clears the rest.
    const std::string text =
        options.json ? jsonOf(jobs, options.history)
                     : (options.once ? "" : "\033[H\033[2J") + textOfAll(jobs);
    std::fputs(text.c_str(), stdout);
    if (!flushOutput())
      return complain("standard output: cannot write", kBadCall);
    if (options.once)
      return kGood;
    std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  }
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) { // mostly a UsageError
    return complain(error.what(), kBadCall);
  }
}
