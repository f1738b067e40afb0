//===- Command.cpp - the subcommands of blinkc ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"

#include "llvm/Support/raw_ostream.h"

int blink::reportError(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (!llvm::StringRef(text).contains(": error: "))
    llvm::errs() << "blinkc: error: ";
  llvm::errs() << text << "\n";
  return kBadCall;
}
