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

/// The bytes of one file, of which a schedule was checked as a whole, and a
/// bundle's index. Immutable.
class OpenFile {
public:
  /// Opens a file. A bundle is mapped, so pieces that are not chosen are not
  /// read. Meanwhile the file may be replaced by another one, but not written
  /// to or cut. What is not mapped may have up to 1 GiB. Errors: it is
  /// unreadable, too large, or not a valid schedule or bundle.
  static Status read(const char *path, std::shared_ptr<const OpenFile> &file);
  static Status copy(const void *data, size_t size,
                     std::shared_ptr<const OpenFile> &file);

  /// May be in symmetric form (expandPrograms()). Null if the file is a bundle.
  const sched::Schedule *schedule() const { return schedule_; }
  /// Valid if the file is a bundle.
  const sched::BundleView &bundle() const { return bundle_; }
  /// The path, or a word for bytes without one.
  const std::string &name() const { return name_; }
  /// All bytes of the file.
  std::vector<uint8_t> bytes() const {
    return {bytes_.get(), bytes_.get() + size_};
  }
  /// The checksum that the file has of everything that was checked.
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

/// Whether any file is a bundle, so that the job's GPUs matter.
bool hasBundle(const ScheduleSet &files);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_SCHEDULESET_H
