//===- Report.h - what the reports of commands share ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_REPORT_H
#define BLINK_TOOLS_BLINKC_REPORT_H

#include "compiler/report/Summary.h"
#include "compiler/topology/DegradeLinks.h"

#include "nlohmann/json.hpp"

namespace blink {

/// JSON has no infinity: a rate without limit is null.
nlohmann::ordered_json jsonRate(double gbps);
/// The keys every report starts with.
nlohmann::ordered_json jsonSummary(const Summary &summary);
/// "  links   without gpu0:gpu3", a line for reports; empty without edits.
std::string linkEditsLine(const std::vector<LinkEdit> &edits);
/// Adds the edits of links, if there are any, as without_links and
/// limited_links.
void addLinkEdits(nlohmann::ordered_json &json,
                  const std::vector<LinkEdit> &edits);
/// "allreduce on dgx1, GPUs 0,1,2,3".
std::string title(const Summary &summary);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_REPORT_H
