//===- Glpk.h - GLPK with errors instead of aborts --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// GLPK prints and aborts when it is misused or out of memory. This wrapper
// prevents both: such a call returns an llvm::Error with GLPK's own words.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_GLPK_H
#define BLINK_COMPILER_PACKING_LP_GLPK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <glpk.h>

#include <utility>

namespace blink {

/// Owns a GLPK problem. GLPK keeps its state per thread: use an object only on
/// the thread that created it.
class GlpkProblem {
public:
  GlpkProblem() = default;
  GlpkProblem(GlpkProblem &&other) : problem_(other.problem_) {
    other.problem_ = nullptr;
  }
  GlpkProblem &operator=(GlpkProblem &&other) {
    std::swap(problem_, other.problem_);
    return *this;
  }
  ~GlpkProblem();

  static llvm::Expected<GlpkProblem> create();

  /// Runs `body`, which may call GLPK. If GLPK gives up, control leaves `body`
  /// by longjmp, so it must own nothing that has a destructor. After an error
  /// the problem is lost and no further call is possible.
  llvm::Error call(llvm::function_ref<void(glp_prob *)> body);

private:
  glp_prob *problem_ = nullptr;
};

/// Returns true if GLPK was built so that several threads may use it, each with
/// its own problems.
bool glpkIsPerThread();

/// Frees the memory that GLPK keeps for the calling thread, which must hold no
/// problem. GLPK does not free it when a thread ends.
void releaseGlpk();

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_GLPK_H
