//===- Completion.h - completion of command lines in shells -----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Scripts that complete commands, options and known values. They contain all
// words, so that the shell need not start a program at each key.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_MANUAL_COMPLETION_H
#define BLINK_TOOLS_MANUAL_COMPLETION_H

#include "tools/manual/Usage.h"

namespace blink::manual {

std::string toBashCompletion(const Command &program, const Vocabulary &);
std::string toZshCompletion(const Command &program, const Vocabulary &);
std::string toFishCompletion(const Command &program, const Vocabulary &);

/// bash, zsh and fish.
const std::vector<std::string> &shells();
/// Returns the script for `shell`, one of shells().
std::string toCompletion(const std::string &shell, const Command &program,
                         const Vocabulary &vocabulary);

} // namespace blink::manual

#endif // BLINK_TOOLS_MANUAL_COMPLETION_H
