//===- ScheduleSet.cpp - opened schedule files ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/ScheduleSet.h"

#include "schedules/ScheduleFile.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace blink::runtime {

Status OpenFile::read(const char *path, std::shared_ptr<const OpenFile> &file) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> stream(
      std::fopen(path, "rb"), std::fclose);
  std::vector<uint8_t> bytes;
  size_t size = 0;
  errno = stream ? 0 : errno;
  while (stream && !std::feof(stream.get()) && !std::ferror(stream.get())) {
    bytes.resize(size + (size_t(1) << 16));
    size += std::fread(&bytes[size], 1, bytes.size() - size, stream.get());
  }
  if (!stream || std::ferror(stream.get()))
    return {blinkSystemError,
            std::string(path) + ": cannot read it: " + std::strerror(errno)};
  bytes.resize(size);
  return open(std::move(bytes), path, file);
}

Status OpenFile::copy(const void *data, size_t size,
                      std::shared_ptr<const OpenFile> &file) {
  const auto *begin = static_cast<const uint8_t *>(data);
  return open(std::vector<uint8_t>(begin, begin + size), "schedule", file);
}

uint64_t OpenFile::checksum() const {
  uint64_t value;
  std::memcpy(&value, bytes_.data() + bytes_.size() - sizeof(value),
              sizeof(value));
  return value;
}

Status OpenFile::open(std::vector<uint8_t> bytes, const std::string &name,
                      std::shared_ptr<const OpenFile> &file) {
  auto opened = std::make_shared<OpenFile>();
  opened->bytes_ = std::move(bytes);
  std::string error;
  opened->root_ =
      sched::openSchedule(opened->bytes_.data(), opened->bytes_.size(), error);
  if (!opened->root_)
    return {blinkInvalidArgument, name + ": " + error};
  file = std::move(opened);
  return {};
}

} // namespace blink::runtime
