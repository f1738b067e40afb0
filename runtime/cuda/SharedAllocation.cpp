//===- SharedAllocation.cpp - GPU memory for other processes --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/SharedAllocation.h"

#include "runtime/cuda/MappedMemory.h"

#include <cstring>
#include <fcntl.h>

namespace blink::runtime {
namespace {

/// CU_MEM_HANDLE_TYPE_FABRIC, which CUDA 11.8's header lacks. Such a handle is
/// 64 bytes that are passed on as they are.
constexpr auto kFabric = CUmemAllocationHandleType(8);

template <typename Value>
bool ask(CUpointer_attribute attribute, CUdeviceptr address, Value &value) {
  return driver().cuPointerGetAttribute(&value, attribute, address) ==
         CUDA_SUCCESS;
}

/// Finds the range of one call of cudaMalloc, one piece of a pool, or one
/// mapping.
bool rangeOf(CUdeviceptr address, CUdeviceptr &begin, size_t &bytes) {
  return driver().cuMemGetAddressRange(&begin, &bytes, address) == CUDA_SUCCESS;
}

Status invalid(const std::string &text) { return {blinkInvalidArgument, text}; }

} // namespace

Status SharedAllocation::find(const void *buffer, size_t bytes,
                              SharedAllocation &result) {
  const auto address = reinterpret_cast<CUdeviceptr>(buffer);
  Piece range;
  AllocationHandle mapped;
  CUmemoryPool pool = nullptr;
  if (!rangeOf(address, range.begin, range.bytes))
    return invalid("it is not memory of a GPU");
  result.offset_ = address - range.begin;
  if (isOpenToPeers(buffer))
    result.kind_ = SharedNote::ipc;
  else if (ask(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address, pool) && pool)
    result.kind_ = SharedNote::pool;
  else if (mapped.take([&](CUmemGenericAllocationHandle *handle) {
             return driver().cuMemRetainAllocationHandle(
                 handle, const_cast<void *>(buffer));
           }) == CUDA_SUCCESS)
    result.kind_ = SharedNote::pieces;
  else
    return invalid(
        "it is memory of a kind that GPUs do not share: cudaMalloc's "
        "and blinkMemAlloc's they do");
  result.pool_ = pool;
  if (result.kind_ == SharedNote::pieces)
    return result.findPieces(address, bytes);
  result.pieces_.assign(1, range);
  if (bytes > range.bytes - result.offset_)
    return invalid("it is longer than the memory that was allocated there");
  return {};
}

/// Finds the mappings that the buffer lies in: PyTorch's expandable segments
/// are many, side by side.
Status SharedAllocation::findPieces(CUdeviceptr buffer, size_t bytes) {
  pieces_.clear();
  for (CUdeviceptr next = buffer; next < buffer + bytes;) {
    Piece piece;
    if (!rangeOf(next, piece.begin, piece.bytes) || piece.bytes == 0)
      return invalid("it is longer than what is mapped there");
    pieces_.push_back(piece);
    next = piece.begin + piece.bytes;
  }
  return {};
}

Status SharedAllocation::openTo(int device) const {
  const std::string what =
      "cannot open the buffer to GPU " + std::to_string(device);
  int owner = device;
  if (kind_ == SharedNote::pool &&
      ask(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pieces_[0].begin, owner) &&
      owner != device) {
    cudaMemAccessDesc access{};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = device;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    return cudaStatus(cudaMemPoolSetAccess(pool_, &access, 1), what);
  }
  CUmemAccessDesc access = accessOf(device);
  for (const Piece &piece : pieces_) {
    unsigned long long now = 0;
    if (kind_ != SharedNote::pieces ||
        (driver().cuMemGetAccess(&now, &access.location, piece.begin) ==
             CUDA_SUCCESS &&
         now == CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
      continue;
    const CUresult result =
        driver().cuMemSetAccess(piece.begin, piece.bytes, &access, 1);
    if (result != CUDA_SUCCESS)
      return driverStatus(result, what);
  }
  return {};
}

//===-- The sharing side --------------------------------------------------===//

Status SharedAllocation::share(FileOffer &files, SharedNote &note) const {
  note.kind = kind_;
  note.offset = offset_;
  if (kind_ == SharedNote::pool)
    return sharePool(files, note);
  if (kind_ == SharedNote::pieces)
    return sharePieces(files, note);
  cudaIpcMemHandle_t handle{};
  static_assert(sizeof(handle) == sizeof(note.handle));
  const cudaError_t error =
      cudaIpcGetMemHandle(&handle, reinterpret_cast<void *>(pieces_[0].begin));
  std::memcpy(note.handle, &handle, sizeof(handle));
  return cudaStatus(error, "CUDA does not share it");
}

Status SharedAllocation::sharePool(FileOffer &files, SharedNote &note) const {
  int number = -1;
  if (cudaMemPoolExportToShareableHandle(&number, pool_,
                                         cudaMemHandleTypePosixFileDescriptor,
                                         0) != cudaSuccess) {
    cudaGetLastError();
    return invalid("it is of a memory pool that cannot be shared, as "
                   "cudaMallocAsync's own: make a pool with "
                   "cudaMemHandleTypePosixFileDescriptor, or use cudaMalloc or "
                   "blinkMemAlloc");
  }
  auto file = std::make_shared<Descriptor>(number);
  cudaMemPoolPtrExportData data{};
  static_assert(sizeof(data) == sizeof(note.handle));
  const cudaError_t error = cudaMemPoolExportPointer(
      &data, reinterpret_cast<void *>(pieces_[0].begin));
  if (error != cudaSuccess)
    return cudaStatus(error, "CUDA does not share its memory pool's");
  std::memcpy(note.handle, &data, sizeof(data));
  note.files = 1;
  return files.start(
      [file](uint64_t, Descriptor &copy, FileNote &) {
        copy = Descriptor(fcntl(file->get(), F_DUPFD_CLOEXEC, 0));
        return copy ? Status() : systemError("cannot hand out a memory pool");
      },
      note.key);
}

namespace {

/// Makes what another process needs to map the piece at `address`.
Status exportPiece(CUdeviceptr address, Descriptor &file, FileNote &note) {
  AllocationHandle piece;
  CUresult result = piece.take([&](CUmemGenericAllocationHandle *handle) {
    return driver().cuMemRetainAllocationHandle(
        handle, reinterpret_cast<void *>(address));
  });
  CUmemAllocationProp properties{};
  if (result == CUDA_SUCCESS)
    result = driver().cuMemGetAllocationPropertiesFromHandle(&properties,
                                                             piece.get());
  int number = -1;
  if (result == CUDA_SUCCESS && (properties.requestedHandleTypes &
                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)) {
    result = driver().cuMemExportToShareableHandle(
        &number, piece.get(), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    if (result == CUDA_SUCCESS)
      file = Descriptor(number);
  } else if (result == CUDA_SUCCESS &&
             (properties.requestedHandleTypes & kFabric)) {
    result = driver().cuMemExportToShareableHandle(note.handle, piece.get(),
                                                   kFabric, 0);
  } else if (result == CUDA_SUCCESS) {
    return invalid("it is memory of cuMemCreate without a handle that can be "
                   "shared: ask for CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, "
                   "or use cudaMalloc or blinkMemAlloc");
  }
  return driverStatus(result, "CUDA does not share a piece of it");
}

} // namespace

Status SharedAllocation::sharePieces(FileOffer &files, SharedNote &note) const {
  for (const Piece &piece : pieces_)
    note.bytes += piece.bytes;
  note.files = pieces_.size();
  // If the first piece cannot be exported, no piece can: better reported before
  // the others ask.
  Descriptor first;
  FileNote unused{};
  Status status = exportPiece(pieces_[0].begin, first, unused);
  if (!status.ok())
    return status;
  return files.start(
      [pieces = pieces_](uint64_t index, Descriptor &file, FileNote &ofPiece) {
        if (index >= pieces.size())
          return Status{blinkInternalError, "there is no such piece"};
        ofPiece.bytes = pieces[index].bytes;
        return exportPiece(pieces[index].begin, file, ofPiece);
      },
      note.key);
}

//===-- The mapping side --------------------------------------------------===//

namespace {

Status mapIpc(const SharedNote &note, std::shared_ptr<char> &memory) {
  cudaIpcMemHandle_t handle;
  std::memcpy(&handle, note.handle, sizeof(handle));
  return cudaStatus(mapMemory(handle, memory), "CUDA does not map it");
}

/// A piece of another process's pool, and the imported pool.
struct PooledMemory {
  cudaMemPool_t pool = nullptr;
  void *memory = nullptr;
  ~PooledMemory() {
    if (memory)
      cudaFree(memory);
    if (pool)
      cudaMemPoolDestroy(pool);
  }
};

Status mapPool(const SharedNote &note,
               std::chrono::steady_clock::time_point deadline, int device,
               std::shared_ptr<char> &memory) {
  Descriptor file;
  Status status =
      takeFiles(note.key, 1, deadline, [&](Descriptor taken, const FileNote &) {
        file = std::move(taken);
        return Status();
      });
  if (!status.ok())
    return status;
  auto pooled = std::make_shared<PooledMemory>();
  cudaError_t error = cudaMemPoolImportFromShareableHandle(
      &pooled->pool, reinterpret_cast<void *>(uintptr_t(file.get())),
      cudaMemHandleTypePosixFileDescriptor, 0);
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = device;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  if (error == cudaSuccess)
    error = cudaMemPoolSetAccess(pooled->pool, &access, 1);
  cudaMemPoolPtrExportData data;
  std::memcpy(&data, note.handle, sizeof(data));
  if (error == cudaSuccess)
    error = cudaMemPoolImportPointer(&pooled->memory, pooled->pool, &data);
  if (error == cudaSuccess)
    memory = {pooled, static_cast<char *>(pooled->memory)};
  return cudaStatus(error, "CUDA does not map its memory pool's");
}

Status mapPieces(const SharedNote &note,
                 std::chrono::steady_clock::time_point deadline, int device,
                 std::shared_ptr<char> &memory) {
  const char *what = "CUDA does not map it";
  auto mapped = std::make_shared<MappedMemory>();
  Status status = driverStatus(mapped->reserve(note.bytes), what);
  if (status.ok())
    status = takeFiles(
        note.key, note.files, deadline,
        [&](Descriptor file, const FileNote &ofPiece) {
          char fabric[sizeof(ofPiece.handle)];
          std::memcpy(fabric, ofPiece.handle, sizeof(fabric));
          void *handle =
              file ? reinterpret_cast<void *>(uintptr_t(file.get())) : fabric;
          AllocationHandle piece;
          CUresult result =
              piece.take([&](CUmemGenericAllocationHandle *taken) {
                return driver().cuMemImportFromShareableHandle(
                    taken, handle,
                    file ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : kFabric);
              });
          if (result == CUDA_SUCCESS)
            result = mapped->add(piece, ofPiece.bytes);
          return driverStatus(result, what);
        });
  if (status.ok())
    status = driverStatus(mapped->openTo(device), what);
  if (status.ok())
    memory = {mapped, mapped->begin()};
  return status;
}

} // namespace

Status mapShared(const SharedNote &note,
                 std::chrono::steady_clock::time_point deadline,
                 std::shared_ptr<char> &memory) {
  int device = 0;
  Status status = cudaStatus(cudaGetDevice(&device), "no GPU is current");
  if (status.ok())
    status = note.kind == SharedNote::ipc ? mapIpc(note, memory)
             : note.kind == SharedNote::pool
                 ? mapPool(note, deadline, device, memory)
                 : mapPieces(note, deadline, device, memory);
  if (status.ok())
    memory = {memory, memory.get() + note.offset};
  return status;
}

} // namespace blink::runtime
