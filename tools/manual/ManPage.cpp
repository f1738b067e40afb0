//===- ManPage.cpp - manual pages of programs -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/manual/ManPage.h"

#include "CLI/CLI.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

using namespace blink::manual;

/// Escapes text such that it can be copied from a terminal unchanged.
static std::string roff(const std::string &text) {
  static const std::map<char, const char *> kEscapes{
      {'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
      {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string out;
  bool begin = true; // of a line, where a dot would start a macro
  for (char c : text) {
    if (begin && c == '.')
      out += "\\&";
    begin = c == '\n';
    const auto escape = kEscapes.find(c);
    out += escape == kEscapes.end() ? std::string(1, c) : escape->second;
  }
  return out;
}

static std::string bold(const std::string &text) {
  return "\\fB" + roff(text) + "\\fR";
}
static std::string italic(const std::string &text) {
  return "\\fI" + roff(text) + "\\fR";
}
static std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return text;
}
static std::string reference(const std::string &page) {
  return bold(page) + "(1)";
}

static std::string signature(const Argument &option) {
  std::string text;
  for (const std::string &name : option.names)
    text += (text.empty() ? "" : ", ") + bold(name);
  return option.value.empty() ? text : text + " " + italic(option.value);
}

static std::string synopsis(const Command &command) {
  std::string text = bold(join(command.path));
  for (const Argument &option : command.options)
    if (option.required)
      text += " " + bold(option.names.back()) + " " + italic(option.value);
  if (!command.options.empty())
    text += " [" + italic("OPTIONS") + "]";
  for (const Argument &positional : command.positionals) {
    const std::string name =
        italic(positional.names[0]) + (positional.repeats ? " ..." : "");
    text += positional.required ? " " + name : " [" + name + "]";
  }
  return command.commands.empty() ? text : text + " " + italic("COMMAND");
}

/// Returns a list of arguments with everything known about each.
static std::string arguments(const std::vector<Argument> &list,
                             bool positionals) {
  std::string text;
  for (const Argument &argument : list) {
    text += ".TP\n";
    text += positionals ? italic(argument.names[0]) : signature(argument);
    text += "\n" + roff(argument.help);
    text += argument.help.empty() || argument.help.back() != '.' ? ".\n" : "\n";
    if (!argument.choices.empty())
      text += "One of " + roff(join(argument.choices, ", ")) + ".\n";
    if (!argument.range.empty())
      text += "From " + roff(argument.range) + ".\n";
    if (!argument.defaultText.empty())
      text += "Default: " + roff(argument.defaultText) + ".\n";
  }
  return text;
}

/// Formats the text after the options: examples and exit codes get headings of
/// their own, indented lines stay as they are. `within` a section there are no
/// headings.
static std::string footer(const std::string &text, bool within) {
  std::string out, section = within ? "within" : "";
  bool verbatim = false, begun = !within; // begun: a paragraph is open
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.rfind("  ", 0) == 0;
    if (verbatim && !indented)
      out += ".EE\n";
    const std::string heading = within || indented              ? section
                                : line.rfind("Example", 0) == 0 ? "EXAMPLES"
                                : line.rfind("Exit code", 0) == 0
                                    ? "EXIT STATUS"
                                : section.empty() || verbatim ? "NOTES"
                                                              : section;
    if (heading != section) {
      out += ".SH " + heading + "\n";
      section = heading;
      begun = true;
    } else if (verbatim != indented && !begun) {
      out += ".PP\n";
      begun = true;
    }
    if (indented && !verbatim)
      out += ".EX\n";
    verbatim = indented;
    if (line == "Example:" || line == "Examples:")
      continue;
    out += roff(line) + "\n";
    begun = false;
  }
  return verbatim ? out + ".EE\n" : out;
}

static void addWithin(const Command &command, std::string &out) {
  out += ".SS " + bold(join(command.path)) + "\n" + synopsis(command) +
         "\n.PP\n" + roff(command.help) + ".\n";
  out += arguments(command.positionals, true);
  out += arguments(command.options, false);
  if (!command.footer.empty())
    out += footer(command.footer, true);
  for (const Command &sub : command.commands)
    addWithin(sub, out);
}

std::string blink::manual::toManPage(const Command &command,
                                     const std::string &version) {
  const std::string page = join(command.path, "-");
  std::string purpose = firstSentence(command.help);
  if (purpose.rfind(command.name() + " ", 0) == 0)
    purpose = purpose.substr(command.name().size() + 1);
  purpose[0] = std::tolower(static_cast<unsigned char>(purpose[0]));
  std::string out = ".TH " + roff(upper(page)) + " 1 \"\" \"" + roff(version) +
                    "\" \"Blink\"\n.nh\n.ad l\n";
  out += ".SH NAME\n" + roff(page) + " \\- " + roff(purpose) + "\n";
  out += ".SH SYNOPSIS\n" + synopsis(command) + "\n";
  out += ".SH DESCRIPTION\n" + roff(command.help);
  out += command.help.empty() || command.help.back() != '.' ? ".\n" : "\n";
  out += arguments(command.positionals, true);
  if (!command.options.empty())
    out += ".SH OPTIONS\n" + arguments(command.options, false);
  const bool isProgram = command.path.size() == 1;
  if (!command.commands.empty())
    out += ".SH COMMANDS\n";
  for (const Command &sub : command.commands) {
    if (isProgram)
      out += ".TP\n" + reference(join(sub.path, "-")) + "\n" + roff(sub.help) +
             ".\n";
    else
      addWithin(sub, out);
  }
  out += footer(command.footer, false);
  if (!isProgram)
    out += ".SH SEE ALSO\n" + reference(command.path[0]) + "\n";
  return out;
}

static void writePage(const std::string &path, const std::string &text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file)
    throw CLI::ValidationError("--man-pages", "cannot write " + path);
}

void blink::manual::addManPages(CLI::App &app, const std::string &version) {
  const auto writeAll = [&app, version](const std::string &folder) {
    const Command program = readUsage(app);
    writePage(folder + "/" + program.name() + ".1",
              toManPage(program, version));
    for (const Command &command : program.commands)
      writePage(folder + "/" + join(command.path, "-") + ".1",
                toManPage(command, version));
    throw CLI::Success();
  };
  app.add_option_function<std::string>("--man-pages", writeAll)->group("");
}
