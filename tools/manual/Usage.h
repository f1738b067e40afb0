//===- Usage.h - how a program is called ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The arguments of a command line as plain data, read from the option tables
// that parse it, so that manual pages and completions agree with --help.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_MANUAL_USAGE_H
#define BLINK_TOOLS_MANUAL_USAGE_H

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace blink::manual {

/// An option, a flag or a positional argument.
struct Argument {
  std::vector<std::string> names; ///< "-o", "--output"; a positional has one
  std::string value;              ///< "FILE"; empty for a flag
  std::string help;
  std::string defaultText;          ///< empty if there is none
  std::string range;                ///< "0 to 1024", or empty
  std::vector<std::string> choices; ///< the only values allowed; may be empty
  bool required = false;
  bool repeats = false;
};

/// A program, or a command of one.
struct Command {
  std::vector<std::string> path; ///< "blinkc", "topo", "ring"
  std::string help;
  std::string footer;
  std::vector<Argument> options, positionals;
  std::vector<Command> commands;

  const std::string &name() const { return path.back(); }
};

/// Words for values, by the name of the value: "COLLECTIVE" -> allreduce, ... A
/// value called FILE is a file, one called DIR or FOLDER a folder; FILE|MACHINE
/// is either.
using Vocabulary = std::map<std::string, std::vector<std::string>>;

/// The possible values of an argument.
struct Words {
  std::vector<std::string> words;
  bool files = false, folders = false;
};

/// Reads the arguments of `app`, without hidden options.
Command readUsage(CLI::App &app);
Words wordsFor(const Argument &argument, const Vocabulary &vocabulary);
/// Returns the words that can stand in place of a positional argument.
Words wordsForPositionals(const Command &command, const Vocabulary &vocabulary);
/// Returns the first sentence of a help text, without its full stop.
std::string firstSentence(const std::string &help);
/// Joins words, with blanks between them by default.
std::string join(const std::vector<std::string> &words,
                 const char *between = " ");

} // namespace blink::manual

#endif // BLINK_TOOLS_MANUAL_USAGE_H
