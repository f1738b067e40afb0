//===- FishCompletion.cpp - completion in fish ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/manual/Completion.h"

using namespace blink::manual;

static std::string fishQuote(const std::string &text) {
  std::string out = "'";
  for (char c : text)
    out += (c == '\'' || c == '\\') ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

/// Tests whether the words so far name `command`, and no subcommand of it.
static std::string condition(const Command &command) {
  std::vector<std::string> parts;
  for (size_t i = 1; i < command.path.size(); ++i)
    parts.push_back("__fish_seen_subcommand_from " + command.path[i]);
  std::vector<std::string> within;
  for (const Command &sub : command.commands)
    within.push_back(sub.name());
  if (!within.empty())
    parts.push_back("not __fish_seen_subcommand_from " + join(within));
  return parts.empty() ? "" : " -n " + fishQuote(join(parts, "; and "));
}

/// Returns -a and the other options that list the possible values.
static std::string values(const Words &words) {
  std::vector<std::string> list = words.words;
  if (words.folders)
    list.push_back("(__fish_complete_directories)");
  std::string text = words.files ? " -F" : " -f";
  return list.empty() ? text : text + " -a " + fishQuote(join(list));
}

static void addCommand(const Command &command, const Vocabulary &vocabulary,
                       std::string &out) {
  const std::string begin =
      "complete -c " + command.path[0] + condition(command);
  out += begin + values(wordsForPositionals(command, vocabulary)) + "\n";
  for (const Command &sub : command.commands)
    out += begin + " -a " + sub.name() + " -d " +
           fishQuote(firstSentence(sub.help)) + "\n";
  for (const Argument &option : command.options) {
    out += begin;
    for (const std::string &name : option.names)
      out += name.rfind("--", 0) == 0 ? " -l " + name.substr(2)
                                      : " -s " + name.substr(1);
    if (!option.value.empty())
      out += " -r" + values(wordsFor(option, vocabulary));
    out += " -d " + fishQuote(firstSentence(option.help)) + "\n";
  }
  for (const Command &sub : command.commands)
    addCommand(sub, vocabulary, out);
}

std::string blink::manual::toFishCompletion(const Command &program,
                                            const Vocabulary &vocabulary) {
  std::string out =
      "# Completion of " + program.name() + " in fish, made of its options.\n";
  addCommand(program, vocabulary, out);
  return out;
}
