//===- Progress.h - watching a solver from the command line -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_PROGRESS_H
#define BLINK_TOOLS_BLINKC_PROGRESS_H

#include "compiler/packing/PackTrees.h"
#include "tools/blinkc/Stopwatch.h"

namespace blink {

/// Shows on standard error how far a solver is, where that is a terminal and
/// the work takes longer than a second, and ends it at a time limit.
class Progress {
public:
  /// `limit` in seconds; 0 is none. Time runs from here.
  explicit Progress(double limit = 0);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// For the solver; refers to this.
  SolveWatcher watcher();
  /// For what goes through classes: says "WHAT: 3 of 8 classes".
  std::function<void(size_t done, size_t all)> classes(std::string what);
  /// Says at once that much is to come, where an input has so many `bytes`:
  /// from hundreds of GPUs it takes seconds until the solver has something to
  /// show.
  void begin(llvm::StringRef path, size_t bytes);
  /// Says what comes after the solver.
  void say(llvm::StringRef what);
  bool expired() const { return limit_ > 0 && watch_.seconds() >= limit_; }
  /// Whether the limit ended the solver.
  bool stopped() const { return stopped_; }

private:
  void write(llvm::StringRef what);
  bool show(const SolveStatus &status);

  Stopwatch watch_;
  double limit_;
  bool terminal_;
  double nextShown_;
  bool shown_ = false;
  bool stopped_ = false;
};

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_PROGRESS_H
