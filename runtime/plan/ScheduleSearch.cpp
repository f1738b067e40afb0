//===- ScheduleSearch.cpp - schedules by where they are kept --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ScheduleSearch.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>

namespace blink::runtime {
namespace {

namespace fs = std::filesystem;

struct Machine {
  std::string name;
  uint64_t fingerprint = 0;

  explicit Machine(const OpenFile &file) {
    if (const sched::Schedule *schedule = file.schedule()) {
      name = schedule->topology()->name()->str();
      fingerprint = schedule->topology()->fingerprint();
    } else {
      name = file.bundle().index->machine()->str();
      fingerprint = file.bundle().index->fingerprint();
    }
  }
  bool operator==(const Machine &other) const {
    return name == other.name && fingerprint == other.fingerprint;
  }
  std::string print() const {
    char number[24];
    std::snprintf(number, sizeof(number), "0x%016" PRIx64, fingerprint);
    return number;
  }
  bool isCalled(const std::string &word) const {
    return word == name || word == print();
  }
};

/// Adds the *.sched files of a folder in the order of their names, whatever
/// order the file system has.
Status filesOf(const std::string &place, std::vector<std::string> &paths) {
  std::error_code error;
  if (!fs::is_directory(place, error)) {
    paths.push_back(place); // opening it says what is wrong
    return {};
  }
  std::vector<std::string> found;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".sched")
      found.push_back(entry->path().string());
  if (error)
    return Status(blinkSystemError, place,
                  ": cannot read it: ", error.message());
  std::sort(found.begin(), found.end());
  paths.insert(paths.end(), found.begin(), found.end());
  return {};
}

Status listFiles(const std::string &places, std::vector<std::string> &paths) {
  for (size_t begin = 0; begin <= places.size();) {
    const size_t end = std::min(places.find(':', begin), places.size());
    if (end != begin)
      if (Status status = filesOf(places.substr(begin, end - begin), paths);
          !status.ok())
        return status;
    begin = end + 1;
  }
  return {};
}

} // namespace

Status findSchedules(const std::string &places, const std::string &machine,
                     ScheduleSet &files) {
  std::vector<std::string> paths;
  Status status = listFiles(places, paths);
  if (!status.ok())
    return status;
  std::string known; // names of other machines, in the order of the files
  const OpenFile *first = nullptr;
  for (const std::string &path : paths) {
    std::shared_ptr<const OpenFile> file;
    status = OpenFile::read(path.c_str(), file);
    if (!status.ok())
      return status;
    const Machine own(*file);
    if (!machine.empty() && !own.isCalled(machine)) {
      known += (known.empty() ? "" : ", ") + own.name;
      continue;
    }
    if (first && !(Machine(*first) == own))
      return Status(blinkInvalidUsage, first->name(), " is for ",
                    Machine(*first).name, " (", Machine(*first).print(),
                    "), and ", path, " for ", own.name, " (", own.print(),
                    "): say in BLINK_MACHINE which one this is");
    files.push_back(std::move(file));
    first = files.front().get();
  }
  if (!files.empty())
    return {};
  if (paths.empty())
    return Status(blinkInvalidUsage, "'", places,
                  "' has no schedules: name files, or folders with files "
                  "*.sched, as `blinkc compile` makes them");
  return Status(blinkInvalidUsage, "'", places, "' has schedules for ", known,
                ", and none for BLINK_MACHINE=", machine);
}

} // namespace blink::runtime
