//===- Json.h - what JSON reports share -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The keys are those of docs/cli.md.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_JSON_H
#define BLINK_COMPILER_RENDER_JSON_H

#include "compiler/report/Finding.h"
#include "compiler/topology/DegradeLinks.h"

#include "nlohmann/json.hpp"

namespace blink {

/// The text of a report, with a newline. Names in a file may be in any
/// encoding: what is no UTF-8 is replaced.
std::string dumpReport(const nlohmann::ordered_json &json);

/// JSON has no infinity: a rate without limit is null.
nlohmann::ordered_json jsonRate(double gbps);
/// "topology", "collective", "gpus" and, where there is one, "root".
nlohmann::ordered_json jsonSubject(const Summary &summary);
/// The keys every report of a program starts with.
nlohmann::ordered_json jsonSummary(const Summary &summary);
/// Adds the edits of links, if there are any, as without_links and
/// limited_links.
void addLinkEdits(nlohmann::ordered_json &json,
                  const std::vector<LinkEdit> &edits);
/// The keys of findings[] of diff and check.
nlohmann::ordered_json jsonFindings(llvm::ArrayRef<Finding> findings);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_JSON_H
