//===- VirtualMemory.cpp - mapped memory and pools, emulated --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Pieces of memory are files without names, so that other processes really
// receive them as file descriptors. The last page of a file describes it and
// counts the other processes that have it mapped. As strict as CUDA's manual,
// even where a GPU may be more lenient.
//
//===----------------------------------------------------------------------===//

#include "test/emulation/VirtualMemory.h"

#include "test/emulation/Calls.h"
#include "test/emulation/CudaRuntime.h"
#include "test/emulation/Emulation.h"
#include "test/emulation/Failures.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using blink::test::kVirtualGranularity;
using blink::test::ObjectState;
using blink::test::ObjectView;

namespace {

constexpr size_t kPage = 4096;
constexpr auto kFabricHandle = CUmemAllocationHandleType(8);
constexpr auto kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// The last page of a file.
struct Label {
  uint64_t magic;
  int process; ///< the one that made it
  int device;
  int handleTypes;
  uint64_t bytes;
  uint64_t pool; ///< the pool's number; 0 for a piece of mapped memory
  std::atomic<int> elsewhere; ///< mappings by others
  blink::test::ObjectState object;
};
constexpr uint64_t kMagic = 0x656c756d61746564;

std::string &firstMisuse() {
  static std::string text;
  return text;
}
void misused(const std::string &text) {
  if (firstMisuse().empty())
    firstMisuse() = text;
}

/// A file and its label.
class LabelledFile {
public:
  /// Takes over the descriptor `file`. Returns null on failure.
  static std::shared_ptr<LabelledFile> open(int file) {
    auto result = std::make_shared<LabelledFile>();
    result->file = file;
    struct stat status{};
    if (file < 0 || fstat(file, &status) != 0 || status.st_size < off_t(kPage))
      return nullptr;
    void *page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      status.st_size - off_t(kPage));
    if (page == MAP_FAILED)
      return nullptr;
    result->label = static_cast<Label *>(page);
    return result;
  }
  static std::shared_ptr<LabelledFile> create(size_t bytes, int device,
                                              int handleTypes, uint64_t pool) {
    const int file = memfd_create("emulated GPU memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, off_t(bytes + kPage)) != 0)
      return nullptr;
    auto result = open(file);
    if (!result)
      return nullptr;
    Label &label = *result->label;
    label.magic = kMagic;
    label.process = getpid();
    label.device = device;
    label.handleTypes = handleTypes;
    label.bytes = bytes;
    label.pool = pool;
    return result;
  }
  ~LabelledFile() {
    if (label)
      munmap(label, kPage);
    if (file >= 0)
      close(file);
  }
  bool isValid(uint64_t pool) const {
    return label->magic == kMagic && (label->pool != 0) == (pool != 0);
  }
  bool isOurs() const { return label->process == getpid(); }
  bool isObject() const { return label->object.numDevices != 0; }
  /// Counts the begin (1) or the end (-1) of a mapping in this process.
  void count(int change) {
    if (isObject()) // belongs to all processes that have it
      return;
    if (!isOurs())
      label->elsewhere += change;
    else if (change < 0 && label->elsewhere != 0)
      misused("memory was given back that another process has mapped");
  }

  int file = -1;
  Label *label = nullptr;
};

using Devices = std::set<int>;

/// A piece of memory with a handle.
struct Piece {
  std::shared_ptr<LabelledFile> file;
  unsigned handles = 1; ///< not yet released
  unsigned mappings = 0;
  /// For an object (Multicast.cpp): the memory bound to it.
  std::shared_ptr<char> parts;
  /// For memory bound to an object: that object, and the offset in it.
  std::shared_ptr<LabelledFile> movedTo;
  off_t movedBy = 0;

  int contents() const { return (movedTo ? movedTo : file)->file; }
};
struct Mapping {
  CUmemGenericAllocationHandle piece;
  size_t bytes;
  Devices devices; ///< those with access
};

struct Pool {
  uint64_t number;
  int device;
  int handleTypes;
  std::shared_ptr<LabelledFile> file; ///< exported or imported
  Devices devices;
};
struct Pooled {
  std::shared_ptr<Pool> pool;
  std::shared_ptr<LabelledFile> file;
  size_t mapped;
};

struct State {
  std::mutex mutex;
  std::map<CUmemGenericAllocationHandle, Piece> pieces;
  std::map<CUdeviceptr, size_t> ranges;
  std::map<CUdeviceptr, Mapping> mappings;
  std::map<CUmemoryPool, std::shared_ptr<Pool>> pools;
  std::map<CUdeviceptr, Pooled> pooled;
  uint64_t next = 0x1000;
};
State &state() {
  static State &state = *new State; // threads may outlive main()
  return state;
}

char *at(CUdeviceptr address) { return reinterpret_cast<char *>(address); }

/// Returns the entry of a map, ordered by begin and with sizes from `bytes`,
/// that contains the address.
template <typename Map, typename Bytes>
auto covering(Map &map, CUdeviceptr address, Bytes bytes) {
  auto next = map.upper_bound(address);
  if (next == map.begin())
    return map.end();
  --next;
  return address - next->first < bytes(next->second) ? next : map.end();
}
auto mappingAt(CUdeviceptr address) {
  return covering(state().mappings, address,
                  [](const Mapping &mapping) { return mapping.bytes; });
}
auto pooledAt(CUdeviceptr address) {
  return covering(state().pooled, address, [](const Pooled &pooled) {
    return size_t(pooled.file->label->bytes);
  });
}

/// Whether mappings fill [address, address + bytes) exactly, with none cut.
bool isWhole(CUdeviceptr address, size_t bytes) {
  const CUdeviceptr end = address + bytes;
  while (address < end) {
    auto mapping = state().mappings.find(address);
    if (mapping == state().mappings.end())
      return false;
    address += mapping->second.bytes;
  }
  return address == end && bytes != 0;
}

void protect(CUdeviceptr address, size_t bytes, const Devices &devices) {
  mprotect(at(address), bytes,
           devices.empty() ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void dropUnused(CUmemGenericAllocationHandle handle) {
  auto piece = state().pieces.find(handle);
  if (piece->second.handles == 0 && piece->second.mappings == 0)
    state().pieces.erase(piece);
}

} // namespace

int blink::test::injected(const char *name) {
  int device = 0;
  cudaGetDevice(&device);
  return failureOf(name, device);
}

std::string blink::test::misuse() {
  std::lock_guard<std::mutex> lock(state().mutex);
  return std::exchange(firstMisuse(), "");
}

size_t blink::test::numVirtual() {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().pieces.size() + state().ranges.size() +
         state().mappings.size() + state().pooled.size() + state().pools.size();
}

namespace {

/// Finds the piece, mapping or piece of a pool that contains the address.
CUresult rangeOf(CUdeviceptr *begin, size_t *bytes, CUdeviceptr address) {
  blink::test::EmulatedPiece piece;
  if (blink::test::findPiece(at(address), piece)) {
    *begin = reinterpret_cast<CUdeviceptr>(piece.begin);
    *bytes = piece.bytes;
    return CUDA_SUCCESS;
  }
  std::lock_guard<std::mutex> lock(state().mutex);
  if (auto found = mappingAt(address); found != state().mappings.end()) {
    *begin = found->first;
    *bytes = found->second.bytes;
    return CUDA_SUCCESS;
  }
  if (auto found = pooledAt(address); found != state().pooled.end()) {
    *begin = found->first;
    *bytes = found->second.file->label->bytes;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}

} // namespace

bool blink::test::isOfDevices(const void *address) {
  CUdeviceptr begin;
  size_t bytes;
  return rangeOf(&begin, &bytes, reinterpret_cast<CUdeviceptr>(address)) ==
         CUDA_SUCCESS;
}

//===-- Multicast objects -------------------------------------------------===//

namespace {

/// Makes a new handle for a file, which may be that of an object. The caller
/// holds the state's mutex.
CUresult addPiece(std::shared_ptr<LabelledFile> file,
                  CUmemGenericAllocationHandle *handle) {
  Piece piece;
  if (file->isObject()) {
    const size_t bytes = file->label->bytes * ObjectState::kMostDevices;
    void *parts = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, file->file, 0);
    if (parts == MAP_FAILED)
      return CUDA_ERROR_OUT_OF_MEMORY;
    piece.parts = {static_cast<char *>(parts),
                   [bytes](char *memory) { munmap(memory, bytes); }};
  }
  piece.file = std::move(file);
  *handle = state().next++;
  state().pieces[*handle] = std::move(piece);
  return CUDA_SUCCESS;
}

bool view(const Piece &piece, ObjectView &object) {
  if (piece.parts)
    object = {&piece.file->label->object, size_t(piece.file->label->bytes),
              piece.parts.get()};
  return bool(piece.parts);
}

/// Copies the parts of a piece that have ever been written.
void copyWritten(int file, size_t bytes, char *to) {
  for (off_t begin = 0;
       (begin = lseek(file, begin, SEEK_DATA)) >= 0 && begin < off_t(bytes);) {
    const off_t end = std::min(off_t(bytes), lseek(file, begin, SEEK_HOLE));
    if (pread(file, to + begin, size_t(end - begin), begin) != end - begin)
      misused("the emulation cannot copy memory");
    begin = end;
  }
}

} // namespace

CUresult blink::test::makeObject(const CUmulticastObjectProp &properties,
                                 CUmemGenericAllocationHandle *handle) {
  if ((properties.handleTypes & ~uint64_t(kFile | kFabricHandle)) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  auto file = LabelledFile::create(properties.size * ObjectState::kMostDevices,
                                   0, int(properties.handleTypes), 0);
  if (!file)
    return CUDA_ERROR_OUT_OF_MEMORY;
  file->label->bytes = properties.size;
  file->label->object.numDevices = properties.numDevices;
  std::lock_guard<std::mutex> lock(state().mutex);
  return addPiece(std::move(file), handle);
}

bool blink::test::viewObject(CUmemGenericAllocationHandle handle,
                             ObjectView &object) {
  std::lock_guard<std::mutex> lock(state().mutex);
  const auto piece = state().pieces.find(handle);
  return piece != state().pieces.end() && piece->second.handles != 0 &&
         view(piece->second, object);
}

bool blink::test::movePiece(CUmemGenericAllocationHandle from,
                            CUmemGenericAllocationHandle to, int &device) {
  std::lock_guard<std::mutex> lock(state().mutex);
  const auto found = state().pieces.find(from);
  const Piece &object = state().pieces.at(to);
  ObjectView target;
  view(object, target);
  if (found == state().pieces.end() || found->second.handles == 0 ||
      found->second.parts || found->second.movedTo)
    return false;
  Piece &piece = found->second;
  const Label &label = *piece.file->label;
  device = label.device;
  // An object that can be shared takes no memory that cannot. Memory must have
  // the size of the object: partial bindings are not needed.
  if ((object.file->label->handleTypes != 0 && label.handleTypes == 0) ||
      label.bytes != target.bytes || label.elsewhere != 0 ||
      !(target.state->added >> device & 1) ||
      (target.state->given.fetch_or(uint64_t(1) << device) >> device & 1))
    return false;
  piece.movedTo = object.file;
  piece.movedBy = off_t(size_t(device) * target.bytes);
  copyWritten(piece.file->file, target.bytes, target.parts + piece.movedBy);
  for (const auto &[address, mapping] : state().mappings)
    if (mapping.piece == from) {
      mmap(at(address), mapping.bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
           piece.contents(), piece.movedBy);
      protect(address, mapping.bytes, mapping.devices);
    }
  return true;
}

bool blink::test::findObject(const char *address, ObjectView &object,
                             size_t &offset) {
  std::lock_guard<std::mutex> lock(state().mutex);
  const auto place = reinterpret_cast<CUdeviceptr>(address);
  const auto mapping = mappingAt(place);
  if (mapping == state().mappings.end() || mapping->second.devices.empty() ||
      !view(state().pieces.at(mapping->second.piece), object))
    return false;
  offset = place - mapping->first;
  return true;
}

//===-- Asking ------------------------------------------------------------===//

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return blink::test::reaches(ordinal, ordinal) ? CUDA_SUCCESS
                                                : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice) {
  FAIL_IF_INJECTED(CUresult)
  *value = attribute != CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED ||
           blink::test::emulatedMachine.multicast;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char **words) {
  *words = "emulated error";
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange(CUdeviceptr *begin, size_t *bytes,
                              CUdeviceptr address) {
  FAIL_IF_INJECTED(CUresult)
  return rangeOf(begin, bytes, address);
}
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  blink::test::EmulatedPiece piece{};
  const bool plain = blink::test::findPiece(at(address), piece);
  std::lock_guard<std::mutex> lock(state().mutex);
  const auto mapping = mappingAt(address);
  const auto pooled = pooledAt(address);
  const bool isMapped = mapping != state().mappings.end();
  const bool isPooled = pooled != state().pooled.end();
  if (!plain && !isMapped && !isPooled)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    *static_cast<int *>(value) = plain && !piece.onHost;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<int *>(value) =
        plain ? piece.device
        : isPooled
            ? pooled->second.file->label->device
            : state().pieces.at(mapping->second.piece).file->label->device;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: {
    CUmemoryPool found = nullptr;
    for (const auto &[handle, pool] : state().pools)
      if (isPooled && pool == pooled->second.pool)
        found = handle;
    *static_cast<CUmemoryPool *>(value) = found;
    return CUDA_SUCCESS;
  }
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

//===-- Mapped memory -----------------------------------------------------===//

CUresult cuMemGetAllocationGranularity(size_t *bytes,
                                       const CUmemAllocationProp *,
                                       CUmemAllocationGranularity_flags) {
  *bytes = kVirtualGranularity;
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties,
                     unsigned long long flags) {
  FAIL_IF_INJECTED(CUresult)
  const int device = properties->location.id;
  if (bytes == 0 || bytes % kVirtualGranularity != 0 || flags != 0 ||
      properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      properties->win32HandleMetaData ||
      (properties->requestedHandleTypes & ~(kFile | kFabricHandle)) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (!blink::test::reaches(device, device))
    return CUDA_ERROR_INVALID_DEVICE;
  auto file =
      LabelledFile::create(bytes, device, properties->requestedHandleTypes, 0);
  if (!file)
    return CUDA_ERROR_OUT_OF_MEMORY;
  std::lock_guard<std::mutex> lock(state().mutex);
  return addPiece(std::move(file), handle);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto piece = state().pieces.find(handle);
  if (piece == state().pieces.end() || piece->second.handles == 0)
    return CUDA_ERROR_INVALID_VALUE;
  --piece->second.handles;
  dropUnused(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle,
                                     void *address) {
  FAIL_IF_INJECTED(CUresult)
  std::lock_guard<std::mutex> lock(state().mutex);
  auto mapping = mappingAt(reinterpret_cast<CUdeviceptr>(address));
  if (mapping == state().mappings.end())
    return CUDA_ERROR_INVALID_VALUE;
  *handle = mapping->second.piece;
  ++state().pieces.at(*handle).handles;
  return CUDA_SUCCESS;
}

CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                       CUmemGenericAllocationHandle handle) {
  FAIL_IF_INJECTED(CUresult)
  std::lock_guard<std::mutex> lock(state().mutex);
  auto piece = state().pieces.find(handle);
  if (piece == state().pieces.end() || piece->second.handles == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const Label &label = *piece->second.file->label;
  *properties = {};
  properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties->requestedHandleTypes =
      CUmemAllocationHandleType(label.handleTypes);
  properties->location = {CU_MEM_LOCATION_TYPE_DEVICE, label.device};
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t,
                             CUdeviceptr, unsigned long long) {
  FAIL_IF_INJECTED(CUresult)
  if (bytes == 0 || bytes % kVirtualGranularity != 0)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = mmap(nullptr, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  std::lock_guard<std::mutex> lock(state().mutex);
  state().ranges[*address] = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto range = state().ranges.find(address);
  if (range == state().ranges.end() || range->second != bytes)
    return CUDA_ERROR_INVALID_VALUE;
  auto mapping = state().mappings.lower_bound(address);
  if (mapping != state().mappings.end() && mapping->first < address + bytes) {
    misused("addresses were freed with memory mapped there");
    return CUDA_ERROR_INVALID_VALUE;
  }
  munmap(at(address), bytes);
  state().ranges.erase(range);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  FAIL_IF_INJECTED(CUresult)
  std::lock_guard<std::mutex> lock(state().mutex);
  auto range = covering(state().ranges, address, [](size_t of) { return of; });
  auto piece = state().pieces.find(handle);
  if (offset != 0 || flags != 0 || bytes == 0 ||
      bytes % kVirtualGranularity != 0 || range == state().ranges.end() ||
      address + bytes > range->first + range->second ||
      piece == state().pieces.end() || piece->second.handles == 0 ||
      bytes > piece->second.file->label->bytes)
    return CUDA_ERROR_INVALID_VALUE;
  // CUDA would wait until all devices have been added.
  const blink::test::ObjectState &object = piece->second.file->label->object;
  if (blink::test::numDevicesIn(object.added) != object.numDevices)
    return CUDA_ERROR_INVALID_VALUE;
  auto next = state().mappings.lower_bound(address);
  if (mappingAt(address) != state().mappings.end() ||
      (next != state().mappings.end() && next->first < address + bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
           piece->second.contents(), piece->second.movedBy) == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  ++piece->second.mappings;
  piece->second.file->count(1);
  state().mappings[address] = {handle, bytes, {}};
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!isWhole(address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  mmap(at(address), bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  for (const CUdeviceptr end = address + bytes; address < end;) {
    auto mapping = state().mappings.find(address);
    address += mapping->second.bytes;
    const CUmemGenericAllocationHandle handle = mapping->second.piece;
    state().mappings.erase(mapping);
    Piece &piece = state().pieces.at(handle);
    --piece.mappings;
    piece.file->count(-1);
    dropUnused(handle);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes,
                        const CUmemAccessDesc *access, size_t count) {
  FAIL_IF_INJECTED(CUresult)
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!isWhole(address, bytes) || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (const CUdeviceptr end = address + bytes; address < end;) {
    Mapping &mapping = state().mappings.at(address);
    const Piece &piece = state().pieces.at(mapping.piece);
    for (size_t i = 0; i < count; ++i) {
      const int device = access[i].location.id;
      if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
          !blink::test::reaches(
              device, piece.parts ? device : piece.file->label->device))
        return CUDA_ERROR_INVALID_DEVICE;
      if (access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        mapping.devices.insert(device);
      else
        mapping.devices.erase(device);
    }
    if (!piece.parts) // plain loads and stores must fault there
      protect(address, mapping.bytes, mapping.devices);
    address += mapping.bytes;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long *flags,
                        const CUmemLocation *location, CUdeviceptr address) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto mapping = mappingAt(address);
  if (mapping == state().mappings.end() ||
      location->type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = mapping->second.devices.count(location->id)
               ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
               : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *shared,
                                      CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  FAIL_IF_INJECTED(CUresult)
  std::lock_guard<std::mutex> lock(state().mutex);
  auto piece = state().pieces.find(handle);
  if (piece == state().pieces.end() || piece->second.handles == 0 ||
      flags != 0 || !(piece->second.file->label->handleTypes & type) ||
      piece->second.movedTo) // an object's memory itself is not shared
    return CUDA_ERROR_INVALID_VALUE;
  const int file = piece->second.file->file;
  if (type == kFabricHandle) {
    std::snprintf(static_cast<char *>(shared), 64, "/proc/%d/fd/%d",
                  int(getpid()), file);
    return CUDA_SUCCESS;
  }
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
  std::memcpy(shared, &copy, sizeof(copy));
  return copy < 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
                                        void *shared,
                                        CUmemAllocationHandleType type) {
  FAIL_IF_INJECTED(CUresult)
  const int number = int(reinterpret_cast<intptr_t>(shared));
  const int file = type == kFabricHandle
                       ? open(static_cast<const char *>(shared), O_RDWR)
                       : fcntl(number, F_DUPFD_CLOEXEC, 0);
  auto labelled = LabelledFile::open(file);
  if (!labelled || !labelled->isValid(0) ||
      !(labelled->label->handleTypes & type))
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(state().mutex);
  return addPiece(std::move(labelled), handle);
}

//===-- Memory pools ------------------------------------------------------===//

namespace {

cudaError_t addPool(cudaMemPool_t *handle, std::shared_ptr<Pool> pool) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *handle = reinterpret_cast<cudaMemPool_t>(pool.get());
  state().pools[*handle] = std::move(pool);
  return cudaSuccess;
}

std::shared_ptr<Pool> newPool(int device, int handleTypes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  const uint64_t number = state().next++;
  return std::make_shared<Pool>(
      Pool{number,
           device,
           handleTypes,
           LabelledFile::create(0, device, handleTypes, number),
           {device}});
}

/// The caller holds the state's mutex.
cudaError_t mapPooled(void **memory, std::shared_ptr<Pool> pool,
                      std::shared_ptr<LabelledFile> file) {
  const size_t mapped = (file->label->bytes + kPage - 1) / kPage * kPage;
  *memory = mmap(nullptr, mapped, PROT_NONE, MAP_SHARED, file->file, 0);
  if (*memory == MAP_FAILED)
    return blink::test::failed(cudaErrorMemoryAllocation);
  const auto address = reinterpret_cast<CUdeviceptr>(*memory);
  protect(address, mapped, pool->devices);
  file->count(1);
  state().pooled[address] = {std::move(pool), std::move(file), mapped};
  return cudaSuccess;
}

} // namespace

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const cudaMemPoolProps *properties) {
  const int device = properties->location.id;
  if (properties->allocType != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice ||
      !blink::test::reaches(device, device))
    return blink::test::failed(cudaErrorInvalidValue);
  return addPool(pool, newPool(device, properties->handleTypes));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().pools.erase(pool) ? cudaSuccess
                                   : blink::test::failed(cudaErrorInvalidValue);
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes,
                                    cudaMemPool_t handle, cudaStream_t) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto found = state().pools.find(handle);
  if (found == state().pools.end() || !found->second->file->isOurs())
    return blink::test::failed(cudaErrorInvalidValue);
  const Pool &pool = *found->second;
  const size_t whole = (bytes + kPage - 1) / kPage * kPage;
  auto file =
      LabelledFile::create(whole, pool.device, pool.handleTypes, pool.number);
  return file ? mapPooled(memory, found->second, std::move(file))
              : blink::test::failed(cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream) {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> defaults;
  int device = 0;
  cudaGetDevice(&device);
  std::lock_guard<std::mutex> lock(mutex);
  cudaMemPool_t &pool = defaults[device];
  if (!pool)
    addPool(&pool, newPool(device, 0));
  return cudaMallocFromPoolAsync(memory, bytes, pool, stream);
}

bool blink::test::isPooled(const void *memory) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().pooled.count(reinterpret_cast<CUdeviceptr>(memory)) != 0;
}

bool blink::test::freePooled(void *memory, cudaError_t &error) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto found = state().pooled.find(reinterpret_cast<CUdeviceptr>(memory));
  if (found == state().pooled.end())
    return false;
  error = cudaSuccess;
  munmap(memory, found->second.mapped);
  found->second.file->count(-1);
  state().pooled.erase(found);
  return true;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle,
                                 const cudaMemAccessDesc *access,
                                 size_t count) {
  FAIL_IF_INJECTED(cudaError_t)
  std::lock_guard<std::mutex> lock(state().mutex);
  auto found = state().pools.find(handle);
  if (found == state().pools.end())
    return blink::test::failed(cudaErrorInvalidValue);
  Pool &pool = *found->second;
  for (size_t i = 0; i < count; ++i) {
    if (!blink::test::reaches(access[i].location.id, pool.device))
      return blink::test::failed(cudaErrorInvalidDevice);
    pool.devices.insert(access[i].location.id);
  }
  for (const auto &[address, pooled] : state().pooled)
    if (pooled.pool == found->second)
      protect(address, pooled.mapped, pool.devices);
  return cudaSuccess;
}

cudaError_t cudaMemPoolExportToShareableHandle(void *shared,
                                               cudaMemPool_t handle,
                                               cudaMemAllocationHandleType type,
                                               unsigned flags) {
  FAIL_IF_INJECTED(cudaError_t)
  std::lock_guard<std::mutex> lock(state().mutex);
  auto found = state().pools.find(handle);
  if (found == state().pools.end() || flags != 0 ||
      !(found->second->handleTypes & type))
    return blink::test::failed(cudaErrorInvalidValue);
  const int copy = fcntl(found->second->file->file, F_DUPFD_CLOEXEC, 0);
  std::memcpy(shared, &copy, sizeof(copy));
  return copy < 0 ? blink::test::failed(cudaErrorMemoryAllocation)
                  : cudaSuccess;
}

cudaError_t
cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *shared,
                                     cudaMemAllocationHandleType type,
                                     unsigned flags) {
  FAIL_IF_INJECTED(cudaError_t)
  const int number = int(reinterpret_cast<intptr_t>(shared));
  auto file = LabelledFile::open(fcntl(number, F_DUPFD_CLOEXEC, 0));
  if (!file || !file->isValid(1) || flags != 0 ||
      !(file->label->handleTypes & type))
    return blink::test::failed(cudaErrorInvalidValue);
  const Label &label = *file->label;
  // No device of this process has access yet.
  return addPool(
      pool, std::make_shared<Pool>(
                Pool{label.pool, label.device, label.handleTypes, file, {}}));
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData *data,
                                     void *memory) {
  FAIL_IF_INJECTED(cudaError_t)
  std::lock_guard<std::mutex> lock(state().mutex);
  auto found = state().pooled.find(reinterpret_cast<CUdeviceptr>(memory));
  if (found == state().pooled.end() || !found->second.file->isOurs())
    return blink::test::failed(cudaErrorInvalidValue);
  std::snprintf(reinterpret_cast<char *>(data->reserved),
                sizeof(data->reserved), "/proc/%d/fd/%d", int(getpid()),
                found->second.file->file);
  return cudaSuccess;
}

cudaError_t cudaMemPoolImportPointer(void **memory, cudaMemPool_t handle,
                                     cudaMemPoolPtrExportData *data) {
  FAIL_IF_INJECTED(cudaError_t)
  auto file = LabelledFile::open(
      open(reinterpret_cast<const char *>(data->reserved), O_RDWR | O_CLOEXEC));
  std::lock_guard<std::mutex> lock(state().mutex);
  auto found = state().pools.find(handle);
  if (!file || found == state().pools.end() ||
      !file->isValid(found->second->number) ||
      file->label->pool != found->second->number ||
      file->label->process != found->second->file->label->process)
    return blink::test::failed(cudaErrorInvalidValue);
  return mapPooled(memory, found->second, std::move(file));
}
