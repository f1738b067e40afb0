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

void refuseEmptyNames(CLI::App &app) {
  const CLI::Validator named(
      [](const std::string &text) {
        return std::string(text.empty() ? "the name is empty" : "");
      },
      "");
  for (CLI::Option *option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type.find("FILE") != std::string::npos ||
        type.find("FOLDER") != std::string::npos ||
        type.find("DIR") != std::string::npos)
      option->check(named);
  }
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    refuseEmptyNames(*command);
}

} // namespace blink::manual
