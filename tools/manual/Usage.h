//===- Usage.h - how a program is called ------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a command line takes, as plain data: read off the option tables that
// parse it, so that manual pages and completions say what --help says.
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
  std::vector<std::string> names; ///< "-o", "--output"; of a positional its one
  std::string value;              ///< "FILE"; empty for a flag
  std::string help;
  std::string defaultText;          ///< empty if there is none
  std::string range;                ///< "0 to 1024", or empty
  std::vector<std::string> choices; ///< what else is refused; or empty
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

/// Words for values, by what the values are called: "COLLECTIVE" -> allreduce,
/// ... Values called FILE are files, those called DIR or FOLDER folders; of
/// FILE|MACHINE either will do.
using Vocabulary = std::map<std::string, std::vector<std::string>>;

/// What may stand for a value.
struct Words {
  std::vector<std::string> words;
  bool files = false, folders = false;
};

/// What `app` takes, but for hidden options.
Command readUsage(CLI::App &app);
Words wordsFor(const Argument &argument, const Vocabulary &vocabulary);
/// What may stand where no option does.
Words wordsForPositionals(const Command &command, const Vocabulary &vocabulary);
/// The first sentence of a help text, without its full stop.
std::string firstSentence(const std::string &help);
/// Words with blanks between them.
std::string join(const std::vector<std::string> &words,
                 const char *between = " ");

} // namespace blink::manual

#endif // BLINK_TOOLS_MANUAL_USAGE_H
