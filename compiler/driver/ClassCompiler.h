//===- ClassCompiler.h - schedules of one allocation ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_CLASSCOMPILER_H
#define BLINK_COMPILER_DRIVER_CLASSCOMPILER_H

#include "compiler/driver/Pipeline.h"

#include <map>

namespace blink {

/// Compiles several collectives for one allocation. If the machine is its own
/// mirror image (MirrorForests.h), a reduce, reducescatter or gather is made
/// from the forest of its mirrored collective, which is packed only once,
/// whichever of the two are requested.
///
/// Certificates price only links on drivable paths between the GPUs. A solver
/// may leave tiny prices on other links. Such prices are valid, but they would
/// tie the certificate to links that another allocation does not have.
///
/// Each thread needs an object of its own.
class ClassCompiler {
public:
  /// `options` has GPUs; its collective and root are ignored. `roots` are the
  /// ranks for which rooted collectives get a program. `topology` must outlive
  /// this object. Errors: a GPU or an edited link that does not exist.
  static llvm::Expected<std::unique_ptr<ClassCompiler>>
  create(const Topology &topology, const CompileOptions &options,
         std::vector<int> roots);
  ~ClassCompiler();

  /// Returns the bytes of a .sched file that collective-verify-schedule has
  /// proved. Errors: those of buildRequest and of the passes, without a place.
  llvm::Expected<std::vector<uint8_t>> compile(Collective collective);

private:
  ClassCompiler(const Topology &topology, const CompileOptions &options,
                std::vector<int> roots);
  llvm::Error findLinks();
  std::vector<int> rootsOf(Collective collective) const;
  CompileOptions optionsFor(Collective collective) const;
  llvm::Expected<mlir::ModuleOp> forestOf(Collective collective);
  llvm::Error run(mlir::ModuleOp module, const CompileOptions &options,
                  Phase last);
  void dropPrices(mlir::ModuleOp module) const;
  llvm::Error failure();

  const Topology &topology_;
  const CompileOptions options_;
  const std::vector<int> roots_;
  Topology degraded_; // with its links edited
  // The reverse of each link, if every link has one.
  std::optional<std::vector<int>> reverse_;
  std::vector<bool> onPaths_; // per link: lies on a path
  std::unique_ptr<mlir::MLIRContext> context_;
  std::string errors_; // errors of the context's diagnostics so far
  std::map<Collective, mlir::OwningOpRef<mlir::ModuleOp>> forests_;
};

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_CLASSCOMPILER_H
