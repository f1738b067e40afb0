//===- Progress.h - watching a solver from the command line -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_PROGRESS_H
#define BLINK_TOOLS_BLINKC_PROGRESS_H

#include "compiler/packing/PackTrees.h"
#include "compiler/report/WhatIf.h"
#include "tools/blinkc/Stopwatch.h"

namespace blink {

/// Shows a solver's progress on standard error if that is a terminal and the
/// work takes longer than a second, and stops the solver at a time limit.
class Progress {
public:
  /// `limit` is in seconds; 0 means none. The time starts here.
  explicit Progress(double limit = 0);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Returns the watcher for the solver; it refers to this object.
  SolveWatcher watcher();
  /// Returns a callback for work on classes; it shows "WHAT: 3 of 8 classes".
  std::function<void(size_t done, size_t all)> classes(std::string what);
  /// Returns a callback for other work, which it may be called for as often as
  /// one likes; it shows "WHAT: 3.2 s, 25.0 %".
  std::function<void(uint64_t done, uint64_t all)> part(std::string what);
  /// Returns watchers for work that solves many problems; they refer to this
  /// object.
  WorkWatcher work();
  /// Announces a long run at once if the input has many `bytes`: with hundreds
  /// of GPUs it takes seconds until the solver can report progress.
  void begin(llvm::StringRef path, size_t bytes);
  /// Shows the step that follows the solver.
  void say(llvm::StringRef what);
  /// Clears what is shown, before other output.
  void end();
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
  std::string step_ = "packing"; ///< what the solver works for
};

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_PROGRESS_H
