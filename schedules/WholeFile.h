//===- WholeFile.h - writes files whole or not at all -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the writers of the compiler and of blink-perf share.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_WHOLEFILE_H
#define BLINK_SCHEDULES_WHOLEFILE_H

#include <cstddef>
#include <string>

namespace blink::sched {

/// Who may read a file, and whether a symbolic link may lead to it.
enum class FileAccess {
  shared, ///< by the umask, or as the file was; links are followed
  secret, ///< only by its owner; a link is replaced by the file
};

/// A file that is being written to a temporary file next to it, which then gets
/// its name: at any time, the name stands for either the old or the new
/// content. Functions return 0 or an error number (errno).
///
/// The target of a symbolic link is written, also if it does not exist yet, and
/// the link remains, as for the redirections of a shell. What is no regular
/// file (a pipe, /dev/null) is written in place, and so are open files of this
/// process (/dev/stdout, /dev/fd/3), at their present position.
class WholeFile {
public:
  WholeFile() = default;
  ~WholeFile();
  WholeFile(const WholeFile &) = delete;
  WholeFile &operator=(const WholeFile &) = delete;

  int open(const std::string &path, FileAccess access = FileAccess::shared);
  int write(const void *bytes, size_t size);
  /// Gives the file its name. Without this call, nothing is changed, unless it
  /// is written in place.
  int keep();

  /// Returns the temporary file, or "" if there is none.
  const std::string &temporary() const { return temporary_; }
  /// Returns the file that is written: `path`, or where its links lead.
  const std::string &target() const { return target_; }

private:
  int create(FileAccess access);

  std::string target_, temporary_;
  int fd_ = -1;
};

/// Returns the error with which WholeFile would certainly not write `path`, or
/// 0. Changes nothing. Sets `target` as WholeFile::target.
int whyNotWritable(const std::string &path, std::string &target);

/// Returns true if `path` is what standard output is, such as /dev/stdout.
bool isStandardOutput(const std::string &path);

/// Returns true if what is written to both paths goes to one regular file, or
/// to one that does not exist yet.
bool areSameFile(const std::string &one, const std::string &other);

/// Returns "PATH: cannot write: reason", which also names `target` if it is
/// another file.
std::string cannotWrite(const std::string &path, const std::string &target,
                        int error);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_WHOLEFILE_H
