//===- InputFile.cpp - input files of the compiler ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/InputFile.h"

#include "compiler/machines/MachineTypes.h"
#include "compiler/support/Error.h"
#include "compiler/support/ReadBytes.h"
#include "compiler/topology/TopologyReader.h"
#include "schedules/ExpandSchedule.h"
#include "schedules/PackedSchedule.h"

#include "llvm/ADT/StringExtras.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace blink;

static InputKind kindOf(llvm::StringRef text) {
  // The identifier of a FlatBuffer is at byte 4.
  if (text.size() >= 8 && text.substr(4, 4) == sched::ScheduleIdentifier())
    return InputKind::schedule;
  if (sched::isBundle(text.bytes_begin(), text.size()))
    return InputKind::bundle;
  text.consume_front("\xef\xbb\xbf"); // a byte order mark
  for (;;) {
    text = text.ltrim();
    llvm::StringRef end = "*/";
    if (text.starts_with("//"))
      end = "\n";
    else if (!text.starts_with("/*"))
      break;
    text = text.drop_front(2).split(end).second;
  }
  return text.starts_with("{") ? InputKind::topology : InputKind::ir;
}

/// Returns "; did you mean the machine type dgx-h100?" if `path` may be meant
/// as the name of a machine type, a hint at the list of types if no name is
/// similar, or "" if `path` is meant as another file.
static std::string machineTypesMeant(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  bool isTopology = name.consume_back(".topo");
  if (!isTopology && (name != path || name.contains('.')))
    return "";
  std::vector<llvm::StringRef> names = machineTypesLike(name);
  if (findMachineType(name))
    names = {name};
  if (names.empty())
    return "; blinkc topo list shows the machine types that need no file";
  return "; did you mean the machine type " + llvm::join(names, " or ") + "?";
}

llvm::Expected<InputFile> blink::readInput(llvm::StringRef path) {
  llvm::Expected<InputFile> file = readInputAsItIs(path);
  if (!file || file->kind != InputKind::schedule ||
      !sched::isSymmetric(file->bytes.data(), file->bytes.size()))
    return file;
  if (llvm::Error error = expand(*file))
    return error;
  return file;
}

llvm::Error blink::expand(InputFile &file) {
  llvm::Expected<const sched::Schedule *> form = openAnySchedule(file);
  if (!form)
    return form.takeError();
  std::string error;
  std::vector<uint8_t> full = sched::expandSchedule(**form, error);
  if (full.empty())
    return makeError("{0}: {1}; verify and the runtime take it as it is",
                     file.path, error);
  file.bytes = std::move(full);
  return llvm::Error::success();
}

llvm::Expected<InputFile> blink::readInputAsItIs(llvm::StringRef path) {
  std::string name = path == "-" ? "<stdin>" : path.str();
  auto buffer = readBytes(path);
  if (!buffer) {
    if (buffer.getError() == std::errc::file_too_large)
      return makeError("{0}: is larger than 1 GiB", name);
    if (const MachineType *type = findMachineType(path))
      return InputFile{std::move(name), InputKind::topology,
                       std::vector<uint8_t>(type->text.bytes_begin(),
                                            type->text.bytes_end())};
    return makeError("{0}: cannot read: {1}{2}", name,
                     buffer.getError().message(), machineTypesMeant(path));
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  if (text.empty())
    return makeError("{0}: is empty: expected a topology, IR or a schedule",
                     name);
  std::vector<uint8_t> bytes(text.bytes_begin(), text.bytes_end());
  if (sched::isPacked(bytes.data(), bytes.size())) {
    std::string error;
    bytes = sched::unpackSchedule(bytes.data(), bytes.size(), error);
    if (bytes.empty())
      return makeError("{0}: {1}", name, error);
  }
  const InputKind kind = kindOf(llvm::toStringRef(bytes));
  return InputFile{std::move(name), kind, std::move(bytes)};
}

llvm::Error blink::refuseBundle(const InputFile &file) {
  return makeError("{0}: is a bundle, of schedules for many allocations; take "
                   "one out with: blinkc extract {0} -g GPUS -c COLLECTIVE -o "
                   "FILE.sched",
                   file.path);
}

llvm::Error blink::expectSchedule(const InputFile &file) {
  if (file.kind == InputKind::schedule)
    return llvm::Error::success();
  if (file.kind == InputKind::bundle)
    return refuseBundle(file);
  return makeError("{0}: is not a schedule; make one with: blinkc compile {0} "
                   "-o FILE.sched",
                   file.path);
}

llvm::Expected<InputFile> blink::readSchedule(llvm::StringRef path,
                                              bool orBundle, bool inFull) {
  llvm::Expected<InputFile> file =
      inFull ? readInput(path) : readInputAsItIs(path);
  if (!file || (orBundle && file->kind == InputKind::bundle))
    return file;
  if (llvm::Error error = expectSchedule(*file))
    return error;
  return file;
}

llvm::Expected<Topology> blink::openTopology(const InputFile &file) {
  if (file.kind == InputKind::bundle)
    return refuseBundle(file);
  if (file.kind != InputKind::topology)
    return makeError("{0}: is not a topology; to see the bound of a schedule: "
                     "blinkc verify {0}",
                     file.path);
  return parseTopology(file.text(), file.path);
}

llvm::Expected<const sched::Schedule *>
blink::openSchedule(const InputFile &file) {
  std::string error;
  const sched::Schedule *schedule =
      sched::openSchedule(file.bytes.data(), file.bytes.size(), error);
  if (!schedule)
    return makeError("{0}: {1}", file.path, error);
  return schedule;
}

llvm::Expected<const sched::Schedule *>
blink::openAnySchedule(const InputFile &file) {
  std::string error;
  const sched::Schedule *schedule =
      sched::openAnySchedule(file.bytes.data(), file.bytes.size(), error);
  if (!schedule)
    return makeError("{0}: {1}", file.path, error);
  return schedule;
}

llvm::Expected<sched::BundleView> blink::openBundle(const InputFile &file) {
  std::string error;
  sched::BundleView bundle;
  if (!sched::openBundle(file.bytes.data(), file.bytes.size(), bundle, error))
    return makeError("{0}: {1}", file.path, error);
  return bundle;
}
