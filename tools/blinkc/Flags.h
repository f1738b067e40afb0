//===- Flags.h - options that several commands share ------------*- C++ -*-===//
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

/// --collective, --gpus, --root, --links, ...: a request for a schedule.
struct RequestFlags {
  std::string collective = "allreduce";
  std::string links = "all";
  std::string order = "none";
  std::vector<std::string> withoutLinks;
  std::vector<std::string> limitLinks;
  CompileOptions rest; ///< values without parsing: --gpus, --root, --relays

  void addTo(CLI::App &command);
  llvm::Expected<CompileOptions> options() const;
  /// Returns an error if options were given that `file` makes no use of: only a
  /// topology leaves everything open, and a bundle the choice of a job. Changes
  /// of links are not looked at.
  llvm::Error checkUse(const InputFile &file) const;

private:
  std::vector<CLI::Option *> jobOptions_, otherOptions_;
};

/// --collective, --gpus, --root: they select a schedule of a bundle.
struct JobFlags {
  std::string collective = "allreduce";
  BundleJob rest; ///< without the collective

  void addTo(CLI::App &command);
  llvm::Expected<BundleJob> job() const;
  /// Reads the schedule at `path`, or from a bundle the one of the job. If the
  /// file is not a bundle, none of these options may have been given. If
  /// `inFull` is false, a schedule in symmetric form is left as it is.
  llvm::Expected<InputFile> readSchedule(const std::string &path,
                                         bool inFull = true) const;
  /// Returns an error if one of these options was given for `file`, which is
  /// no bundle.
  llvm::Error refuseFor(const InputFile &file) const;

private:
  std::vector<CLI::Option *> options_;
};

/// Returns an error if one of the options was given for `file`, which is no
/// topology and already contains what they choose.
llvm::Error refuseChosen(llvm::ArrayRef<CLI::Option *> options,
                         const InputFile &file);

/// --limit-link, and its parser. Errors: those of parseLinkLimit.
void addLimitLink(CLI::App &command, std::vector<std::string> &limitLinks);
llvm::Error readLimitLinks(const std::vector<std::string> &limitLinks,
                           std::vector<LinkEdit> &edits);
/// --costs: the costs of lanes, for costsAt.
void addCosts(CLI::App &command, std::string &costs);
/// --name, of a machine.
void addMachineName(CLI::App &command, std::string &name,
                    const std::string &help);
/// --gpu-model, and the model of that name. Null: the option is missing.
/// Errors: an unknown name, with a list of the known ones.
void addGpuModel(CLI::App &command, std::string &name, const std::string &help);
llvm::Expected<const GpuModel *> readGpuModel(const std::string &name);
/// The file that JobFlags::readSchedule reads.
void addInput(CLI::App &command, std::string &input);
/// -j, --jobs.
void addJobs(CLI::App &command, unsigned &jobs, const std::string &help);
/// The relative change that is tolerated.
void addTolerance(CLI::App &command, const char *name, double &tolerance,
                  const std::string &help);
/// --bytes: the size of a message, at least `least`; 64 MiB by default.
void addBytes(CLI::App &command, uint64_t &bytes, uint64_t least);

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_FLAGS_H
