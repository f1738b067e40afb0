//===- WholeFile.cpp - writes files whole or not at all -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/WholeFile.h"

#include "schedules/Text.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace blink::sched {
namespace {

/// As many as Linux follows in one path.
constexpr int kMostLinks = 40;

/// Returns the folder of `path` with its last slash, or "" for this folder.
std::string folderOf(const std::string &path) {
  return path.substr(0, path.rfind('/') + 1);
}

std::string realPathOf(const std::string &path) {
  char real[PATH_MAX];
  return realpath(path.empty() ? "." : path.c_str(), real) ? real : "";
}

/// Returns N if `path` is /proc/self/fd/N, by whatever name, or else -1.
/// Opening such a path begins at the start of the file, and renaming another
/// file to it would replace a file that someone else reads or appends to.
int openFileNamed(const std::string &path) {
  const std::string folder = folderOf(path), name = path.substr(folder.size());
  if (name.empty() || name.size() > 9 ||
      name.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  const std::string real = realPathOf(folder);
  return !real.empty() && (real == realPathOf("/proc/self/fd") ||
                           real == realPathOf("/proc/thread-self/fd"))
             ? std::stoi(name)
             : -1;
}

/// Where a file is written.
struct Place {
  std::string path;     ///< no symbolic link, except to an open file
  int openFile = -1;    ///< the descriptor that `path` stands for
  bool inPlace = false; ///< something that is no regular file
  bool exists = false;
  mode_t mode = 0; ///< of a file that exists
  int error = 0;
};

/// Finds where the links of `path` lead. Only the last part of a path needs
/// this: the kernel follows links to folders.
Place placeOf(const std::string &path) {
  Place place;
  place.path = path;
  for (int links = 0;; ++links) {
    if ((place.openFile = openFileNamed(place.path)) != -1)
      return place;
    struct stat status;
    if (lstat(place.path.c_str(), &status) != 0) {
      place.error = errno == ENOENT ? 0 : errno;
      return place;
    }
    if (!S_ISLNK(status.st_mode)) {
      place.exists = true;
      place.mode = status.st_mode & 07777;
      place.inPlace = !S_ISREG(status.st_mode);
      place.error = S_ISDIR(status.st_mode) ? EISDIR : 0;
      return place;
    }
    // A link to something that has no name, such as another process's pipe.
    if (stat(place.path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISDIR(status.st_mode)) {
      place.inPlace = true;
      return place;
    }
    char leads[PATH_MAX];
    const ssize_t size = readlink(place.path.c_str(), leads, sizeof leads);
    if (size < 0 || links == kMostLinks) {
      place.error = size < 0 ? errno : ELOOP;
      return place;
    }
    const std::string to(leads, size_t(size));
    place.path = to[0] == '/' ? to : folderOf(place.path) + to;
  }
}

} // namespace

WholeFile::~WholeFile() {
  if (fd_ != -1)
    ::close(fd_);
  if (!temporary_.empty())
    unlink(temporary_.c_str());
}

/// The name of a temporary file is short, since that of the file may be as long
/// as a file system allows.
int WholeFile::create(FileAccess access) {
  const mode_t mode = access == FileAccess::secret ? 0600 : 0666;
  for (int i = 0; i < 1000; ++i) {
    temporary_ = textOf(folderOf(target_), ".blink-", getpid(), "-", i, ".tmp");
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                 mode);
    if (fd_ != -1)
      return 0;
    const int error = errno;
    temporary_.clear();
    if (error != EEXIST)
      return error;
  }
  return EEXIST;
}

int WholeFile::open(const std::string &path, FileAccess access) {
  Place place;
  place.path = path;
  if (access == FileAccess::shared)
    place = placeOf(path);
  target_ = place.path;
  if (place.error != 0)
    return place.error;
  if (place.openFile != -1)
    fd_ = fcntl(place.openFile, F_DUPFD_CLOEXEC, 0);
  else if (place.inPlace)
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  else if (const int error = create(access))
    return error;
  if (fd_ == -1)
    return errno;
  // Whoever could read the file still can.
  if (place.exists && !place.inPlace && fchmod(fd_, place.mode) != 0)
    return errno;
  return 0;
}

int WholeFile::write(const void *bytes, size_t size) {
  // Linux writes at most 2 GiB at once.
  constexpr size_t kMostAtOnce = 1 << 30;
  for (const char *next = static_cast<const char *>(bytes); size > 0;) {
    const ssize_t count =
        ::write(fd_, next, size < kMostAtOnce ? size : kMostAtOnce);
    if (count > 0) {
      next += count;
      size -= size_t(count);
    } else if (count == 0) {
      return EIO;
    } else if (errno == EAGAIN) { // a pipe that another process made so
      pollfd waiting{fd_, POLLOUT, 0};
      poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int WholeFile::keep() {
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0)
    return errno;
  if (!temporary_.empty() &&
      std::rename(temporary_.c_str(), target_.c_str()) != 0)
    return errno;
  temporary_.clear();
  return 0;
}

int whyNotWritable(const std::string &path, std::string &target) {
  const Place place = placeOf(path);
  target = place.path;
  if (place.error != 0)
    return place.error;
  if (place.openFile != -1)
    return fcntl(place.openFile, F_GETFL) == -1 ? errno : 0;
  const std::string folder = folderOf(target);
  const char *written = place.inPlace    ? target.c_str()
                        : folder.empty() ? "."
                                         : folder.c_str();
  return access(written, W_OK) == 0 ? 0 : errno;
}

bool isStandardOutput(const std::string &path) {
  struct stat named, output;
  return stat(path.c_str(), &named) == 0 &&
         fstat(STDOUT_FILENO, &output) == 0 && named.st_dev == output.st_dev &&
         named.st_ino == output.st_ino;
}

bool areSameFile(const std::string &one, const std::string &other) {
  const Place a = placeOf(one), b = placeOf(other);
  for (const Place *place : {&a, &b})
    if (place->inPlace || place->openFile != -1 || place->error != 0)
      return false;
  const auto nameOf = [](const Place &place) {
    const std::string folder = folderOf(place.path);
    return realPathOf(folder) + "/" + place.path.substr(folder.size());
  };
  return nameOf(a) == nameOf(b);
}

std::string cannotWrite(const std::string &path, const std::string &target,
                        int error) {
  const std::string leads =
      target == path || target.empty() ? "" : " (a link to " + target + ")";
  return path + leads +
         ": cannot write: " + std::generic_category().message(error);
}

} // namespace blink::sched
