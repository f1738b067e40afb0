//===- Checks.h - checks of the values of options ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_MANUAL_CHECKS_H
#define BLINK_TOOLS_MANUAL_CHECKS_H

#include "CLI/CLI.hpp"

namespace blink::manual {

/// A range of real numbers. CLI::Range also accepts NaN, since that is neither
/// too small nor too large.
class RealRange : public CLI::Range {
public:
  RealRange(double least, double most);
};

/// Refuses numbers that CLI11 would not take as decimal ones: 0x10, and 010,
/// which it takes for 8.
class Decimal : public CLI::Validator {
public:
  Decimal();
};

/// Lets `app` and its subcommands refuse all but decimal numbers as values of
/// options that take numbers; an empty value is no number.
void refuseOtherBases(CLI::App &app);

/// Lets `app` and its subcommands refuse empty names of files and folders,
/// sets and pairs of nodes, such as of -o "$OUT" where the variable is not set.
/// For most options an empty value would mean that the option was not given.
void refuseEmptyNames(CLI::App &app);

} // namespace blink::manual

#endif // BLINK_TOOLS_MANUAL_CHECKS_H
