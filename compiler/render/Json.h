//===- Json.h - common parts of JSON reports --------------------*- C++ -*-===//
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

/// Returns the text of a report, with a newline. Names in a file may be in any
/// encoding: bytes that are not UTF-8 are replaced.
std::string dumpReport(const nlohmann::ordered_json &json);

/// Returns null for an infinite rate: JSON has no infinity.
nlohmann::ordered_json jsonRate(double gbps);
/// "topology", "collective", "gpus" and, if the collective has one, "root".
nlohmann::ordered_json jsonSubject(const Summary &summary);
/// The keys every report of a program starts with.
nlohmann::ordered_json jsonSummary(const Summary &summary);
/// Adds the edits of links, if any, as without_links and limited_links.
void addLinkEdits(nlohmann::ordered_json &json,
                  const std::vector<LinkEdit> &edits);
/// The keys of findings[] of diff and check.
nlohmann::ordered_json jsonFindings(llvm::ArrayRef<Finding> findings);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_JSON_H
