//===- Checks.cpp - checks of the values of options -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/manual/Checks.h"

#include <cmath>

namespace blink::manual {

RealRange::RealRange(double least, double most) : CLI::Range(least, most) {
  func_ = [inRange = func_](std::string &text) {
    double number = 0;
    if (CLI::detail::lexical_cast(text, number) && std::isnan(number))
      return "Value " + text + " is not a number";
    return inRange(text);
  };
}

/// Whether strtol with base 0, or newer versions of CLI11, take the text, which
/// has no sign, for a number of another base. `0b` is no such number, but a
/// size of no bytes.
static bool hasOtherBase(const std::string &text) {
  const auto isDigit = [&](size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  if (text.size() < 2 || text[0] != '0')
    return false;
  return isDigit(1) || text[1] == 'x' || text[1] == 'X' ||
         (std::string("bBoO").find(text[1]) != std::string::npos && isDigit(2));
}

Decimal::Decimal() {
  func_ = [](std::string &text) -> std::string {
    if (text.empty()) // CLI11 would take it for 0
      return "the value is empty";
    const bool sign = text.find_first_of("+-") == 0;
    return hasOtherBase(text.substr(sign))
               ? "'" + text +
                     "' is not a decimal number: write it with the "
                     "digits 0 to 9, and without leading zeros"
               : std::string();
  };
}

/// CLI11 does not say of what type the value of an option is, but only options
/// that take numbers have ranges or sizes, or names of such types. In a list,
/// no name begins like a number of another base.
static bool takesNumbers(CLI::Option &option) {
  std::string types = option.get_type_name();
  try {
    for (int i = 0;; ++i)
      types += " " + option.get_validator(i)->get_description();
  } catch (const CLI::OptionNotFound &) {
  }
  for (const char *name : {"INT", "FLOAT", "SIZE", "LIST", "RANK"})
    if (types.find(name) != std::string::npos)
      return true;
  return false;
}

void refuseOtherBases(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (takesNumbers(*option))
      option->transform(Decimal()); // before other checks and conversions
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    refuseOtherBases(*command);
}

void refuseEmptyNames(CLI::App &app) {
  const CLI::Validator named(
      [](const std::string &text) {
        return std::string(text.empty() ? "the value is empty" : "");
      },
      "");
  for (CLI::Option *option : app.get_options()) {
    const std::string type = option->get_type_name();
    for (const char *name : {"FILE", "FOLDER", "DIR", "SETS", "A:B"})
      if (type.find(name) != std::string::npos) {
        option->check(named);
        break;
      }
  }
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    refuseEmptyNames(*command);
}

} // namespace blink::manual
