//===- ScheduleSet.h - opened schedule files --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_SCHEDULESET_H
#define BLINK_RUNTIME_SCHEDULESET_H

#include "runtime/Status.h"
#include "schedules/schedule_generated.h"

#include <memory>
#include <vector>

namespace blink::runtime {

/// The bytes of one file and the checked root within them. Immutable.
class OpenFile {
public:
  /// Errors: unreadable, or not a right schedule.
  static Status read(const char *path, std::shared_ptr<const OpenFile> &file);
  static Status copy(const void *data, size_t size,
                     std::shared_ptr<const OpenFile> &file);

  const sched::Schedule &root() const { return *root_; }
  /// The file's checksum: its trailer.
  uint64_t checksum() const;

private:
  static Status open(std::vector<uint8_t> bytes, const std::string &name,
                     std::shared_ptr<const OpenFile> &file);
  std::vector<uint8_t> bytes_;
  const sched::Schedule *root_ = nullptr;
};

/// Files in the order they were opened. Copies share the files.
using ScheduleSet = std::vector<std::shared_ptr<const OpenFile>>;

} // namespace blink::runtime

#endif // BLINK_RUNTIME_SCHEDULESET_H
