//===- InputFile.h - input files of the compiler ----------------*- C++ -*-===//
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

/// Told apart by content: a topology starts with `{` after // comments and
/// white space, a schedule and a bundle have their identifiers; anything else
/// is IR.
enum class InputKind { topology, ir, schedule, bundle };

struct InputFile {
  std::string path; ///< For messages; "<stdin>" for "-".
  InputKind kind;
  std::vector<uint8_t> bytes;

  llvm::StringRef text() const {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
};

/// Reads a whole file, and expands a schedule in symmetric form; `-` is
/// standard input. If no file `path` can be read and a shipped machine type
/// (machines/MachineTypes.h) has that name, returns the text of that type:
/// readInput("dgx-h100"). Errors: "PATH: cannot read: ...", with similar names
/// of machine types; an empty file; a file over 1 GiB, also when expanded.
llvm::Expected<InputFile> readInput(llvm::StringRef path);

/// Does the same, but leaves a schedule in symmetric form as it is.
llvm::Expected<InputFile> readInputAsItIs(llvm::StringRef path);

/// Expands a schedule in symmetric form. Errors: those of opening it.
llvm::Error expand(InputFile &file);

/// Reads `path`, which must be a schedule, or with `orBundle` also a bundle;
/// the error says how to make one. If `inFull` is false, a schedule in
/// symmetric form is left as it is.
llvm::Expected<InputFile>
readSchedule(llvm::StringRef path, bool orBundle = false, bool inFull = true);

/// Returns an error if `file` is no schedule; it says how to make one.
llvm::Error expectSchedule(const InputFile &file);

/// Returns the error for a bundle where one schedule is expected.
llvm::Error refuseBundle(const InputFile &file);

/// Parses a topology. Errors: those of parseTopology, and a file of another
/// kind.
llvm::Expected<Topology> openTopology(const InputFile &file);

/// Opens the bytes of a schedule file. The result points into `file`. Errors:
/// "PATH: what is wrong with it".
llvm::Expected<const sched::Schedule *> openSchedule(const InputFile &file);

/// Opens a schedule that may be in symmetric form.
llvm::Expected<const sched::Schedule *> openAnySchedule(const InputFile &file);

/// Opens a bundle. The result points into `file`.
llvm::Expected<sched::BundleView> openBundle(const InputFile &file);

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_INPUTFILE_H
