//===- ScheduleSet.cpp - opened schedule files ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ScheduleSet.h"

#include "runtime/Mapping.h"
#include "schedules/PackedSchedule.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

namespace blink::runtime {
namespace {

using Bytes = std::shared_ptr<const uint8_t>;

/// As for the tools: what is no regular file, such as /dev/zero, may never end.
constexpr size_t kLargestRead = size_t(1) << 30;

Bytes own(std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return Bytes(owner, owner->data());
}

/// Maps the file if it is a bundle that can be mapped. Returns null if not; the
/// file must then be read from its beginning.
Bytes mapBundle(std::FILE *stream, size_t &size) {
  uint8_t begin[8];
  struct stat status;
  const int file = fileno(stream);
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
      pread(file, begin, sizeof(begin), 0) != ssize_t(sizeof(begin)) ||
      !sched::isBundle(begin, sizeof(begin)))
    return nullptr;
  size = size_t(status.st_size);
  const auto memory = mapFile(size, PROT_READ, MAP_PRIVATE, file);
  return Bytes(memory, reinterpret_cast<const uint8_t *>(memory.get()));
}

/// Whether it is known without reading that the file is too large.
bool isLarge(std::FILE *stream) {
  struct stat status;
  return fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode) &&
         uint64_t(status.st_size) > kLargestRead;
}

} // namespace

Status OpenFile::read(const char *path, std::shared_ptr<const OpenFile> &file) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> stream(
      std::fopen(path, "rb"), std::fclose);
  errno = stream ? 0 : errno;
  size_t size = 0;
  Bytes memory = stream ? mapBundle(stream.get(), size) : nullptr;
  std::vector<uint8_t> bytes;
  bool large = stream && !memory && isLarge(stream.get());
  while (!memory && !large && stream && !std::feof(stream.get()) &&
         !std::ferror(stream.get())) {
    bytes.resize(size + (size_t(1) << 16));
    size += std::fread(&bytes[size], 1, bytes.size() - size, stream.get());
    large = size > kLargestRead;
  }
  if (large)
    return {blinkInvalidArgument,
            std::string(path) +
                ": is larger than 1 GiB, or never ends: name a schedule or "
                "bundle that `blinkc compile` has written"};
  if (!stream || std::ferror(stream.get()))
    return {blinkSystemError,
            std::string(path) + ": cannot read it: " + std::strerror(errno)};
  auto opened = std::make_shared<OpenFile>();
  Status status =
      opened->open(memory ? memory : own(std::move(bytes)), size, path);
  if (status.ok())
    file = std::move(opened);
  return status;
}

Status OpenFile::copy(const void *data, size_t size,
                      std::shared_ptr<const OpenFile> &file) {
  const auto *begin = static_cast<const uint8_t *>(data);
  auto opened = std::make_shared<OpenFile>();
  Status status = opened->open(own({begin, begin + size}), size, "schedule");
  if (status.ok())
    file = std::move(opened);
  return status;
}

uint64_t OpenFile::checksum() const {
  const uint8_t *end = schedule_ ? bytes_.get() + size_ : bundle_.pieces;
  uint64_t value;
  std::memcpy(&value, end - sizeof(value), sizeof(value));
  return value;
}

Status OpenFile::open(Bytes bytes, size_t size, std::string name) {
  bytes_ = std::move(bytes);
  size_ = size;
  name_ = std::move(name);
  std::string error;
  if (sched::isPacked(bytes_.get(), size_)) {
    std::vector<uint8_t> plain =
        sched::unpackSchedule(bytes_.get(), size_, error);
    if (plain.empty())
      return {blinkInvalidArgument, name_ + ": " + error};
    size_ = plain.size();
    bytes_ = own(std::move(plain));
  }
  if (sched::isBundle(bytes_.get(), size_)) {
    if (!sched::openBundle(bytes_.get(), size_, bundle_, error))
      return {blinkInvalidArgument, name_ + ": " + error};
    return {};
  }
  schedule_ = sched::openAnySchedule(bytes_.get(), size_, error);
  if (!schedule_)
    return {blinkInvalidArgument, name_ + ": " + error};
  return {};
}

bool hasBundle(const ScheduleSet &files) {
  return std::any_of(files.begin(), files.end(),
                     [](const auto &file) { return !file->schedule(); });
}

} // namespace blink::runtime
