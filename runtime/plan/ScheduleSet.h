//===- ScheduleSet.h - opened schedule files --------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_SCHEDULESET_H
#define BLINK_RUNTIME_PLAN_SCHEDULESET_H

#include "runtime/Status.h"
#include "schedules/BundleFile.h"

#include <memory>
#include <vector>

namespace blink::runtime {

/// The bytes of one file, and what was checked of them: a schedule as a whole,
/// of a bundle the index. Immutable.
class OpenFile {
public:
  /// Bundles are mapped: of pieces that nobody chooses nothing is read. The
  /// file may be replaced by another meanwhile, not written to or cut. Errors:
  /// unreadable, or not a right schedule or bundle.
  static Status read(const char *path, std::shared_ptr<const OpenFile> &file);
  static Status copy(const void *data, size_t size,
                     std::shared_ptr<const OpenFile> &file);

  /// Maybe in symmetric form (expandPrograms()). Null: it is a bundle.
  const sched::Schedule *schedule() const { return schedule_; }
  /// Of a bundle.
  const sched::BundleView &bundle() const { return bundle_; }
  /// The path, or a word for bytes without one.
  const std::string &name() const { return name_; }
  /// All of it.
  std::vector<uint8_t> bytes() const {
    return {bytes_.get(), bytes_.get() + size_};
  }
  /// What the file has as checksum of all it was checked for.
  uint64_t checksum() const;

private:
  Status open(std::shared_ptr<const uint8_t> bytes, size_t size,
              std::string name);

  std::shared_ptr<const uint8_t> bytes_;
  size_t size_ = 0;
  std::string name_;
  const sched::Schedule *schedule_ = nullptr;
  sched::BundleView bundle_;
};

/// Files in the order they were opened. Copies share the files.
using ScheduleSet = std::vector<std::shared_ptr<const OpenFile>>;

/// Whether the job's GPUs matter.
bool hasBundle(const ScheduleSet &files);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_SCHEDULESET_H
