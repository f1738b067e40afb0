//===- OutputFile.cpp - writes files whole or not at all ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler has a version of this on LLVM, which blink-perf does not use.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/OutputFile.h"

#include "tools/blink-perf/Options.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace blink::perf {

void writeFile(const std::string &path, const std::string &text,
               unsigned mode) {
  struct stat status;
  const bool inPlace = stat(path.c_str(), &status) == 0 &&
                       !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  std::string temporary = path + ".XXXXXX";
  const int fd = inPlace ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC)
                         : mkstemp(temporary.data());
  const auto refuse = [&](int error) {
    if (fd != -1 && !inPlace)
      unlink(temporary.c_str());
    throw std::runtime_error(path + ": cannot write: " + std::strerror(error));
  };
  if (fd == -1)
    refuse(errno);
  if (!inPlace)
    fchmod(fd, mode); // mkstemp's mode is owner only
  std::FILE *file = fdopen(fd, "w");
  const bool wrote =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  if (file && std::fclose(file) != 0 && wrote)
    refuse(errno);
  if (!wrote)
    refuse(error);
  if (!inPlace && std::rename(temporary.c_str(), path.c_str()) != 0)
    refuse(errno);
}

void checkWritable(const std::string &path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw UsageError(path + ": cannot write: it is a folder");
  if (access(folder.c_str(), W_OK) != 0)
    throw UsageError(path + ": cannot write: " + std::strerror(errno));
}

} // namespace blink::perf
