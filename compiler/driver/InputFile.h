//===- InputFile.h - what a user hands to the compiler ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_INPUTFILE_H
#define BLINK_COMPILER_DRIVER_INPUTFILE_H

#include "compiler/topology/Topology.h"
#include "schedules/BundleFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace blink {

/// Told apart by content: a `{` after // comments and blanks, the schedule's
/// identifier, the bundle's, anything else.
enum class InputKind { topology, ir, schedule, bundle };

struct InputFile {
  std::string path; ///< for messages; "<stdin>" for "-"
  InputKind kind;
  std::vector<uint8_t> bytes;

  llvm::StringRef text() const {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
};

/// Reads a whole file, a schedule in full, whatever its form; `-` is standard
/// input. Where no file `path` can be read
/// and a shipped machine type (machines/MachineTypes.h) has that name, its text
/// is taken: readInput("dgx-h100"). Errors: "PATH: cannot read: ...", with
/// names that may have been meant; an empty file, one over 1 GiB, also
/// in full.
llvm::Expected<InputFile> readInput(llvm::StringRef path);

/// The same with the bytes that are there.
llvm::Expected<InputFile> readInputAsItIs(llvm::StringRef path);

/// Puts a schedule in symmetric form into full. Errors: as of opening it.
llvm::Error expand(InputFile &file);

/// Reads `path`, which must be a schedule, or a bundle where that is wanted,
/// too; the error says how to get one. Not `inFull`: whatever its form.
llvm::Expected<InputFile>
readSchedule(llvm::StringRef path, bool orBundle = false, bool inFull = true);

/// An error if `file` is none; it says how to get one.
llvm::Error expectSchedule(const InputFile &file);

/// The error of a call that is given a bundle and wants one schedule.
llvm::Error refuseBundle(const InputFile &file);

/// Parses a topology. Errors: as of parseTopology, and what is none.
llvm::Expected<Topology> openTopology(const InputFile &file);

/// Opens a schedule file's bytes. The result points into `file`. Errors:
/// "PATH: what is wrong with it".
llvm::Expected<const sched::Schedule *> openSchedule(const InputFile &file);

/// The same of one that may be in symmetric form.
llvm::Expected<const sched::Schedule *> openAnySchedule(const InputFile &file);

/// The same of a bundle.
llvm::Expected<sched::BundleView> openBundle(const InputFile &file);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_INPUTFILE_H
