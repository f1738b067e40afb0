//===- OutputFile.cpp - writing files atomically --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/OutputFile.h"

#include "compiler/support/Error.h"
#include "schedules/WholeFile.h"

#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace blink;

static llvm::Error writeToStandardOutput(llvm::StringRef bytes) {
  llvm::raw_fd_ostream out(STDOUT_FILENO, /*shouldClose=*/false,
                           /*unbuffered=*/true);
  out << bytes;
  std::error_code error = out.error();
  out.clear_error(); // otherwise the destructor ends the process
  return error ? makeError("-: cannot write: {0}", error.message())
               : llvm::Error::success();
}

bool blink::isStandardOutput(llvm::StringRef path) {
  return path == "-" || sched::isStandardOutput(path.str());
}

llvm::Error blink::writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  if (path == "-")
    return writeToStandardOutput(bytes);
  sched::WholeFile file;
  int error = file.open(path.str());
  // A signal that ends the process also removes the temporary file.
  std::string temporary = file.temporary();
  if (!temporary.empty())
    llvm::sys::RemoveFileOnSignal(temporary);
  if (error == 0)
    error = file.write(bytes.data(), bytes.size());
  if (error == 0)
    error = file.keep();
  if (!temporary.empty())
    llvm::sys::DontRemoveFileOnSignal(temporary);
  if (error != 0)
    return makeError("{0}",
                     sched::cannotWrite(path.str(), file.target(), error));
  return llvm::Error::success();
}
