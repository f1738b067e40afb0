//===- Windows.cpp - registered buffers of processes ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Windows.h"

#include "runtime/Mapping.h"
#include "runtime/job/Descriptor.h"
#include "runtime/job/SharedBlocks.h"
#include "schedules/Text.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

namespace blink::runtime {

Windows::~Windows() {
  for (uint32_t number = 0; number <= kOffered; ++number)
    drop(number);
}

uint32_t Windows::used() const {
  uint32_t used = 0;
  for (uint32_t number = 0; number < kMaxWindows; ++number)
    used |= uint32_t(numbers_[number].used) << number;
  return used;
}

void Windows::offer(const void *buffer, uint64_t bytes, WindowRecord &record) {
  Number &own = numbers_[kOffered];
  own.used = true;
  record = {};
  SharedPlace place;
  if (!useBlock(buffer, bytes, place))
    return;
  if (place.file < 0) // a GPU's
    return releaseBlock(buffer);
  own.begin = static_cast<const char *>(buffer);
  own.bytes = bytes;
  record = {reinterpret_cast<uint64_t>(buffer),
            bytes,
            uint64_t(place.file),
            place.offset,
            place.device,
            place.inode};
}

bool Windows::map(uint32_t number, int rank, uint64_t process,
                  const WindowRecord &record) {
  if (record.bytes == 0)
    return true;
  // Needs no more rights than process_vm_readv, and on hardened systems fewer.
  Descriptor file(::open(textOf("/proc/", process, "/fd/", record.file).c_str(),
                         O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 ||
      status.st_dev != record.device || status.st_ino != record.inode)
    return false; // another namespace's process, or no access
  const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  const uint64_t before = record.offset % page;
  const std::shared_ptr<char> pages =
      mapFile(before + record.bytes, PROT_READ, MAP_SHARED | MAP_POPULATE,
              file.get(), off_t(record.offset - before));
  if (pages)
    numbers_[number].others.push_back(
        {rank, record.address, record.bytes, {pages, pages.get() + before}});
  return pages != nullptr;
}

void Windows::drop(uint32_t number) {
  Number &own = numbers_[number];
  if (own.begin)
    releaseBlock(own.begin);
  numOpen_ -= own.open;
  own = Number();
}

bool Windows::cover(const void *buffer, uint64_t bytes) const {
  const char *begin = static_cast<const char *>(buffer);
  return bytes == 0 ||
         std::any_of(std::begin(numbers_), std::end(numbers_),
                     [&](const Number &own) {
                       return own.open && own.begin && begin >= own.begin &&
                              begin + bytes <= own.begin + own.bytes;
                     });
}

const char *Windows::find(int rank, uint64_t address, uint64_t bytes) const {
  for (const Number &number : numbers_)
    if (number.open)
      for (const Mapping &other : number.others) {
        const uint64_t offset = address - other.address; // wraps below it
        if (other.rank == rank && offset < other.bytes &&
            bytes <= other.bytes - offset)
          return other.here.get() + offset;
      }
  return nullptr;
}

} // namespace blink::runtime
