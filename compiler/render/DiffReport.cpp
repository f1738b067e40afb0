//===- DiffReport.cpp - reports on changes between files ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/DiffReport.h"

#include "compiler/render/Json.h"
#include "compiler/render/Text.h"
#include "schedules/Provenance.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace blink;

std::string blink::toVerdict(const ScheduleDiff &diff) {
  if (diff.identical)
    return "identical";
  if (diff.sameContent)
    return "same machine and programs";
  return llvm::formatv(
      "{0} worse, {1} better, {2} different", diff.count(Severity::worse),
      diff.count(Severity::better), diff.count(Severity::different));
}

std::string blink::toText(const ComparedFiles &files) {
  std::string text = toVerdict(files.diff) + "\n";
  for (const std::string &line : toLines(files.diff.findings))
    text += "  " + line + "\n";
  return text;
}

static nlohmann::ordered_json jsonFile(const ComparedFiles::File &file) {
  const sched::Provenance &provenance = *file.opened.provenance;
  nlohmann::ordered_json json;
  json["path"] = file.path;
  json["bytes"] = file.opened.bytes.size();
  json["checksum"] = formatHash(file.opened.checksum());
  json["compiler"] = provenance.compiler()->str();
  json["options"] = sched::toString(sched::settingsOf(provenance));
  json["links"] = toString(file.opened.linkKinds());
  json["topology"] = file.opened.topology->name()->str();
  json["fingerprint"] = formatHash(file.opened.topology->fingerprint());
  if (file.opened.isBundle())
    json["allocations"] = file.opened.served.size();
  json["programs"] = file.opened.numPrograms();
  return json;
}

std::string blink::toJson(const ComparedFiles &files) {
  const ScheduleDiff &diff = files.diff;
  nlohmann::ordered_json json;
  json["ok"] = diff.count(Severity::worse) == 0;
  json["identical"] = diff.identical;
  json["same_content"] = diff.sameContent;
  for (Severity severity :
       {Severity::worse, Severity::better, Severity::different})
    json[toString(severity).str()] = diff.count(severity);
  json["before"] = jsonFile(files.before);
  json["after"] = jsonFile(files.after);
  json["findings"] = jsonFindings(diff.findings);
  return dumpReport(json);
}
