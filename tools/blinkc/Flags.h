//===- Flags.h - options that several commands have -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_FLAGS_H
#define BLINK_TOOLS_BLINKC_FLAGS_H

#include "compiler/driver/ExtractSchedule.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/import/Rates.h"

#include "CLI/CLI.hpp"

namespace blink {

/// --collective, --gpus, --root, --links, ...: what is asked of a topology.
struct RequestFlags {
  std::string collective = "allreduce";
  std::string links = "all";
  std::string order = "none";
  std::vector<std::string> withoutLinks;
  std::vector<std::string> limitLinks;
  CompileOptions rest; ///< what needs no reading: --gpus, --root, --relays

  void addTo(CLI::App &command);
  llvm::Expected<CompileOptions> options() const;
};

/// --collective, --gpus, --root: whose schedule of a bundle is meant.
struct JobFlags {
  std::string collective = "allreduce";
  BundleJob rest; ///< but for the collective

  void addTo(CLI::App &command);
  llvm::Expected<BundleJob> job() const;
  /// The schedule at `path`, or that of the job out of a bundle. Where it is no
  /// bundle none of these options may have been given.
  llvm::Expected<InputFile> readSchedule(const std::string &path) const;

private:
  std::vector<CLI::Option *> options_;
};

/// --limit-link, and what it says. Errors: as of parseLinkLimit.
void addLimitLink(CLI::App &command, std::vector<std::string> &limitLinks);
llvm::Error readLimitLinks(const std::vector<std::string> &limitLinks,
                           std::vector<LinkEdit> &edits);
/// --costs: what lanes cost, as costsAt reads it.
void addCosts(CLI::App &command, std::string &costs);
/// --gpu-model, and the model that it names. Null: none was given. Errors: a
/// name that is not known, with those that are.
void addGpuModel(CLI::App &command, std::string &name, const std::string &help);
llvm::Expected<const GpuModel *> readGpuModel(const std::string &name);
/// The file that JobFlags::readSchedule reads.
void addInput(CLI::App &command, std::string &input);
/// -j, --jobs.
void addJobs(CLI::App &command, unsigned &jobs, const std::string &help);
/// How much relative change is tolerated.
void addTolerance(CLI::App &command, const char *name, double &tolerance,
                  const std::string &help);
/// --bytes: the size of a message, at least `least`; 64 MiB unless given.
void addBytes(CLI::App &command, uint64_t &bytes, uint64_t least);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_FLAGS_H
