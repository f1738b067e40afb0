//===- Usage.cpp - how a program is called --------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/manual/Usage.h"

#include "CLI/CLI.hpp"

#include <algorithm>
#include <sstream>

using namespace blink::manual;

static std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);)
    parts.push_back(part);
  return parts;
}

/// Reads the descriptions of validators, "{a,b}" or "INT in [0 - 8]", which
/// CLI11 also appends to the name of the value's type.
static void readValidators(CLI::Option &option, Argument &argument) {
  size_t appended = 0;
  for (int i = 0;; ++i) {
    std::string says;
    try {
      says = option.get_validator(i)->get_description();
    } catch (const CLI::OptionNotFound &) {
      break;
    }
    if (says.empty())
      continue;
    appended += 1 + says.size();
    if (says.front() == '{' && says.back() == '}')
      argument.choices = split(says.substr(1, says.size() - 2), ',');
    const size_t begin = says.find(" in ["), dash = says.find(" - ");
    if (begin != std::string::npos && dash != std::string::npos &&
        says.back() == ']')
      argument.range = says.substr(begin + 5, dash - begin - 5) + " to " +
                       says.substr(dash + 3, says.size() - dash - 4);
  }
  const std::string whole = option.get_type_name();
  argument.value = whole.substr(0, whole.size() - appended);
}

static Argument readArgument(CLI::Option &option) {
  Argument argument;
  const bool positional = !option.nonpositional();
  for (const std::string &name : option.get_snames())
    argument.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    argument.names.push_back("--" + name);
  if (positional)
    argument.names = {option.get_name(/*positional=*/true)};
  argument.help = option.get_description();
  argument.required = option.get_required();
  if (option.get_items_expected_max() == 0)
    return argument; // a flag
  readValidators(option, argument);
  if (argument.value.empty())
    argument.value = positional ? argument.names[0] : "VALUE";
  argument.defaultText = option.get_default_str();
  argument.repeats = option.get_items_expected_max() > 1;
  return argument;
}

static Command readCommand(CLI::App &app, std::vector<std::string> path) {
  path.push_back(app.get_name());
  Command command{path, app.get_description(), app.get_footer(), {}, {}, {}};
  for (CLI::Option *option : app.get_options())
    if (!option->get_group().empty()) // not hidden
      (option->nonpositional() ? command.options : command.positionals)
          .push_back(readArgument(*option));
  for (CLI::App *sub : app.get_subcommands([](CLI::App *) { return true; })) {
    command.commands.push_back(readCommand(*sub, path));
    if (command.commands.back().footer == command.footer)
      command.commands.back().footer.clear(); // inherited
  }
  return command;
}

Command blink::manual::readUsage(CLI::App &app) { return readCommand(app, {}); }

Words blink::manual::wordsFor(const Argument &argument,
                              const Vocabulary &vocabulary) {
  Words found;
  found.words = argument.choices;
  for (const std::string &name : split(argument.value, '|')) {
    found.files |= name == "FILE";
    found.folders |= name == "DIR" || name == "FOLDER";
    if (auto known = vocabulary.find(name); known != vocabulary.end())
      found.words.insert(found.words.end(), known->second.begin(),
                         known->second.end());
  }
  return found;
}

Words blink::manual::wordsForPositionals(const Command &command,
                                         const Vocabulary &vocabulary) {
  Words found;
  for (const Argument &positional : command.positionals) {
    const Words more = wordsFor(positional, vocabulary);
    found.words.insert(found.words.end(), more.words.begin(), more.words.end());
    found.files |= more.files;
    found.folders |= more.folders;
  }
  return found;
}

std::string blink::manual::firstSentence(const std::string &help) {
  std::string text = help;
  std::replace(text.begin(), text.end(), '\n', ' ');
  text = text.substr(0, std::min(text.find(". "), text.find("; ")));
  if (!text.empty() && text.back() == '.')
    text.pop_back();
  return text;
}

std::string blink::manual::join(const std::vector<std::string> &words,
                                const char *between) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}
