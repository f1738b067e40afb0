//===- ManPage.h - manual pages of programs ---------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_MANUAL_MANPAGE_H
#define BLINK_TOOLS_MANUAL_MANPAGE_H

#include "tools/manual/Usage.h"

namespace blink::manual {

/// Returns the page in section 1 of a program or of one of its commands, in
/// roff's man macros. A program's commands have pages of their own; subcommands
/// of a command are sections of its page. `version`: "blinkc 0.1.0".
std::string toManPage(const Command &command, const std::string &version);

/// Gives `app` the hidden option --man-pages FOLDER, which writes its page and
/// those of its commands, NAME.1, and exits.
void addManPages(CLI::App &app, const std::string &version);

} // namespace blink::manual

#endif // BLINK_TOOLS_MANUAL_MANPAGE_H
