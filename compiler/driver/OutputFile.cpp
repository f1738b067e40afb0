//===- OutputFile.cpp - writing files atomically --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/OutputFile.h"

#include "compiler/support/Error.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <unistd.h>

using namespace blink;

static llvm::Error failure(llvm::StringRef path, std::error_code reason) {
  return makeError("{0}: cannot write: {1}", path, reason.message());
}

static std::error_code writeAll(int fd, llvm::StringRef bytes) {
  llvm::raw_fd_ostream out(fd, /*shouldClose=*/false, /*unbuffered=*/true);
  out << bytes;
  std::error_code error = out.error();
  out.clear_error(); // otherwise the destructor ends the process
  return error;
}

static llvm::Error writeInPlace(llvm::StringRef path, llvm::StringRef bytes) {
  int fd = STDOUT_FILENO;
  if (path != "-")
    if (std::error_code error = llvm::sys::fs::openFileForWrite(
            path, fd, llvm::sys::fs::CD_OpenExisting))
      return failure(path, error);
  std::error_code error = writeAll(fd, bytes);
  if (path != "-" && ::close(fd) != 0 && !error)
    error = std::error_code(errno, std::generic_category());
  return error ? failure(path, error) : llvm::Error::success();
}

llvm::Error blink::writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  llvm::sys::fs::file_status status;
  bool exists = !llvm::sys::fs::status(path, status);
  if (path == "-" || (exists && !llvm::sys::fs::is_regular_file(status) &&
                      !llvm::sys::fs::is_directory(status)))
    return writeInPlace(path, bytes);
  if (exists && llvm::sys::fs::is_directory(status))
    return failure(path, std::make_error_code(std::errc::is_a_directory));

  // TempFile also removes the file if a signal ends the process.
  auto temporary = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!temporary)
    return failure(path, llvm::errorToErrorCode(temporary.takeError()));
  if (std::error_code error = writeAll(temporary->FD, bytes)) {
    llvm::consumeError(temporary->discard());
    return failure(path, error);
  }
  if (llvm::Error error = temporary->keep(path)) {
    std::error_code reason = llvm::errorToErrorCode(std::move(error));
    return failure(path, reason);
  }
  return llvm::Error::success();
}
