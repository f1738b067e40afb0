//===- Glpk.h - GLPK behind a wall ------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// GLPK prints and aborts when it is misused or out of memory. Behind this wall
// it does neither: such a call becomes an llvm::Error with GLPK's own words.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_PACKING_LP_GLPK_H
#define BLINK_COMPILER_PACKING_LP_GLPK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <glpk.h>

#include <utility>

namespace blink {

/// Owns a GLPK problem. GLPK's state belongs to the thread: use an object on
/// the thread that made it.
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

  /// Runs `body`, which may call GLPK. It is left by longjmp when GLPK gives
  /// up, so it must own nothing that has a destructor. After an error the
  /// problem is lost: no further call is possible.
  llvm::Error call(llvm::function_ref<void(glp_prob *)> body);

private:
  glp_prob *problem_ = nullptr;
};

/// Whether GLPK was built so that several threads may use it, each with
/// problems of its own.
bool glpkIsPerThread();

/// Frees what GLPK keeps for the calling thread, which must hold no problem.
/// GLPK itself does not when a thread ends.
void releaseGlpk();

} // namespace blink

#endif // BLINK_COMPILER_PACKING_LP_GLPK_H
