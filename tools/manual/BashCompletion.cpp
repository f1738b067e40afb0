//===- BashCompletion.cpp - completion in bash ----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/manual/Completion.h"

using namespace blink::manual;

static std::string quote(const std::string &text) { return "'" + text + "'"; }

/// Returns words='...' and files='...', the input of compgen.
static std::string assign(const Words &words) {
  const char *files = words.files ? "f" : words.folders ? "d" : "";
  return "words=" + quote(join(words.words)) + " files=" + files;
}

/// Appends all commands as patterns: 'blinkc topo'|'blinkc run'.
static void addPaths(const Command &command, std::vector<std::string> &paths) {
  for (const Command &sub : command.commands) {
    paths.push_back(quote(join(sub.path)));
    addPaths(sub, paths);
  }
}

/// Appends the case of a command: its options, its positional arguments, and
/// the values of options that have any.
static void addCase(const Command &command, const Vocabulary &vocabulary,
                    std::string &out) {
  std::vector<std::string> options;
  for (const Argument &option : command.options)
    options.insert(options.end(), option.names.begin(), option.names.end());
  Words plain = wordsForPositionals(command, vocabulary);
  for (const Command &sub : command.commands)
    plain.words.push_back(sub.name());
  out += "  " + quote(join(command.path)) +
         ")\n    options=" + quote(join(options)) + " " + assign(plain) +
         "\n    case $before in\n";
  for (const Argument &option : command.options)
    if (!option.value.empty())
      out += "    " + join(option.names, "|") +
             ") options= " + assign(wordsFor(option, vocabulary)) + " ;;\n";
  out += "    esac ;;\n";
  for (const Command &sub : command.commands)
    addCase(sub, vocabulary, out);
}

std::string blink::manual::toBashCompletion(const Command &program,
                                            const Vocabulary &vocabulary) {
  const std::string &name = program.name();
  std::string function = "_" + name;
  for (char &c : function)
    c = c == '-' ? '_' : c;
  std::string out =
      "# Completion of " + name + " in bash, made of its options.\n" +
      function +
      "() {\n"
      "  local command=" +
      name +
      " current=${COMP_WORDS[COMP_CWORD]} word\n"
      "  local before=${COMP_WORDS[COMP_CWORD - 1]} options= words= files=\n"
      "  # --name=value is three words to bash\n"
      "  if [[ $current == = ]]; then current=\n"
      "  elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; "
      "fi\n";
  std::vector<std::string> paths;
  addPaths(program, paths);
  if (!paths.empty())
    out += "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
           "    case \"$command $word\" in\n"
           "    " +
           join(paths, "|") +
           ") command+=\" $word\" ;;\n"
           "    esac\n"
           "  done\n";
  out += "  case $command in\n";
  addCase(program, vocabulary, out);
  out += "  esac\n"
         "  [[ $current == -* && $options ]] && words=$options files=\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  if [[ $files ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < "
         "<(compgen -$files -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F " +
         function + " " + name + "\n";
  return out;
}
