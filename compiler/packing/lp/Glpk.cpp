//===- Glpk.cpp - GLPK with errors instead of aborts ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/lp/Glpk.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>

using namespace blink;

namespace {

/// Where to jump when GLPK gives up, and what it printed before.
struct GlpkGuard {
  std::jmp_buf target;
  char words[512];
  size_t length;
};

void leaveGlpk(void *info) {
  std::longjmp(static_cast<GlpkGuard *>(info)->target, 1);
}

/// Keeps GLPK's terminal output; a non-zero result tells GLPK not to print it.
int keepMessage(void *info, const char *text) {
  auto *state = static_cast<GlpkGuard *>(info);
  size_t room = sizeof(state->words) - 1 - state->length;
  size_t length = std::min(std::strlen(text), room);
  std::memcpy(state->words + state->length, text, length);
  state->length += length;
  state->words[state->length] = '\0';
  return 1;
}

void setHooks(GlpkGuard *state) {
  glp_term_out(GLP_OFF);
  glp_error_hook(state ? leaveGlpk : nullptr, state);
  glp_term_hook(state ? keepMessage : nullptr, state);
}

/// Returns false if GLPK gave up. This is a function of its own so that no
/// local variable that lives across setjmp changes after it.
bool runGuarded(GlpkGuard &state, llvm::function_ref<void()> body) {
  if (setjmp(state.target) != 0)
    return false;
  body();
  return true;
}

llvm::Error guarded(llvm::function_ref<void()> body) {
  GlpkGuard state;
  state.length = 0;
  state.words[0] = '\0';
  setHooks(&state);
  bool ok = runGuarded(state, body);
  setHooks(nullptr);
  if (ok)
    return llvm::Error::success();
  llvm::StringRef words = llvm::StringRef(state.words).trim();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "GLPK gave up: " + words.str());
}

} // namespace

llvm::Expected<GlpkProblem> GlpkProblem::create() {
  GlpkProblem result;
  if (llvm::Error error = guarded([&] { result.problem_ = glp_create_prob(); }))
    return error;
  return result;
}

GlpkProblem::~GlpkProblem() {
  if (problem_)
    glp_delete_prob(problem_);
}

llvm::Error GlpkProblem::call(llvm::function_ref<void(glp_prob *)> body) {
  if (!problem_)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "GLPK gave up on this problem before");
  llvm::Error error = guarded([&] { body(problem_); });
  // GLPK left its structures in the middle of a change, so they cannot even be
  // freed. Only a bug or a lack of memory leads here.
  if (error)
    problem_ = nullptr;
  return error;
}

bool blink::glpkIsPerThread() { return glp_config("TLS") != nullptr; }

void blink::releaseGlpk() { glp_free_env(); }
