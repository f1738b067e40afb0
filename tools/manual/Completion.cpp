//===- Completion.cpp - completion of command lines in shells -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/manual/Completion.h"

using namespace blink::manual;

const std::vector<std::string> &blink::manual::shells() {
  static const std::vector<std::string> kShells{"bash", "zsh", "fish"};
  return kShells;
}

std::string blink::manual::toCompletion(const std::string &shell,
                                        const Command &program,
                                        const Vocabulary &vocabulary) {
  return shell == "bash"  ? toBashCompletion(program, vocabulary)
         : shell == "zsh" ? toZshCompletion(program, vocabulary)
                          : toFishCompletion(program, vocabulary);
}
