//===- ReadBytes.cpp - reading files of a limited size --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/support/ReadBytes.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <unistd.h>

using namespace blink;
using namespace llvm;

ErrorOr<std::unique_ptr<MemoryBuffer>> blink::readBytes(StringRef path) {
  constexpr size_t kLargest = size_t(1) << 30, kPiece = size_t(1) << 16;
  int file = STDIN_FILENO;
  if (path != "-")
    if (std::error_code error = sys::fs::openFileForRead(path, file))
      return error;
  auto close = make_scope_exit([&] {
    if (path != "-")
      ::close(file);
  });
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(file, status))
    return error;
  if (status.type() == sys::fs::file_type::directory_file)
    return std::make_error_code(std::errc::is_a_directory);
  if (sys::fs::is_regular_file(status) && status.getSize() > kLargest)
    return std::make_error_code(std::errc::file_too_large);
  SmallVector<char, 0> bytes;
  for (;;) {
    const size_t size = bytes.size();
    bytes.resize_for_overwrite(size + kPiece);
    Expected<size_t> count = sys::fs::readNativeFile(
        file, MutableArrayRef<char>(bytes.data() + size, kPiece));
    if (!count)
      return errorToErrorCode(count.takeError());
    bytes.truncate(size + *count);
    if (*count == 0)
      break;
    if (bytes.size() > kLargest)
      return std::make_error_code(std::errc::file_too_large);
  }
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(bytes), path == "-" ? "<stdin>" : path);
}
