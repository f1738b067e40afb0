//===- ZshCompletion.cpp - completion in zsh ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/manual/Completion.h"

using namespace blink::manual;

/// Escapes text for single quotes, with a backslash before characters in
/// `special`.
static std::string escape(const std::string &text, const std::string &special) {
  std::string out;
  for (char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += special.find(c) == std::string::npos ? std::string(1, c)
                                                  : std::string("\\") + c;
  }
  return out;
}

static std::string functionOf(const std::vector<std::string> &path) {
  std::string name = "_" + join(path, "_");
  for (char &c : name)
    c = c == '-' ? '_' : c;
  return name;
}

/// Returns the action that completes a value: the end of an _arguments spec.
static std::string action(const Argument &argument,
                          const Vocabulary &vocabulary) {
  const Words words = wordsFor(argument, vocabulary);
  const std::string list = join(words.words);
  const std::string name = escape(argument.value, ":");
  const char *paths = words.files ? "_files" : "_files -/";
  if (!words.files && !words.folders)
    return ":" + name + ":" + (list.empty() ? "" : "(" + list + ")");
  if (list.empty())
    return ":" + name + ":" + paths;
  return ":" + name + ":{compadd -- " + list + "; " + paths + "}";
}

static std::string specification(const Argument &option,
                                 const Vocabulary &vocabulary) {
  std::string text;
  if (option.repeats)
    text = "'*'";
  else if (option.names.size() > 1)
    text = "'(" + join(option.names) + ")'";
  std::vector<std::string> names;
  for (const std::string &name : option.names)
    names.push_back(option.value.empty()       ? name
                    : name.rfind("--", 0) == 0 ? name + "="
                                               : name + "+");
  text += names.size() > 1 ? "{" + join(names, ",") + "}" : names[0];
  text += "'[" + escape(firstSentence(option.help), "[]") + "]";
  return text + (option.value.empty() ? "" : action(option, vocabulary)) + "'";
}

static void addFunction(const Command &command, const Vocabulary &vocabulary,
                        std::string &out) {
  for (const Command &sub : command.commands)
    addFunction(sub, vocabulary, out);
  const bool hasCommands = !command.commands.empty();
  out += functionOf(command.path) + "() {\n";
  if (hasCommands)
    out += "  local state line\n";
  out += std::string("  _arguments -s") + (hasCommands ? " -C" : "");
  for (const Argument &option : command.options)
    out += " \\\n    " + specification(option, vocabulary);
  for (const Argument &positional : command.positionals)
    out += std::string(" \\\n    '") + (positional.repeats ? "*" : "") +
           action(positional, vocabulary) + "'";
  if (!hasCommands) {
    out += "\n}\n";
    return;
  }
  out += " \\\n    '1: :->command' '*:: :->rest'\n"
         "  case $state in\n"
         "  command)\n"
         "    local -a commands=(";
  for (const Command &sub : command.commands)
    out += "\n      '" + sub.name() + ":" +
           escape(firstSentence(sub.help), ":") + "'";
  out += ")\n    _describe command commands ;;\n"
         "  rest)\n"
         "    case $line[1] in\n";
  for (const Command &sub : command.commands)
    out += "    " + sub.name() + ") " + functionOf(sub.path) + " ;;\n";
  out += "    esac ;;\n  esac\n}\n";
}

std::string blink::manual::toZshCompletion(const Command &program,
                                           const Vocabulary &vocabulary) {
  const std::string &name = program.name();
  std::string out = "#compdef " + name + "\n# Completion of " + name +
                    " in zsh, made of its options.\n";
  addFunction(program, vocabulary, out);
  const std::string function = functionOf(program.path);
  // A file found on $fpath is the function itself; a sourced file defines it.
  return out + "if [[ $funcstack[1] == " + function + " ]]; then\n  " +
         function + " \"$@\"\nelse\n  compdef " + function + " " + name +
         "\nfi\n";
}
