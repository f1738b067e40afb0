//===- ClassCompiler.h - the schedules of one allocation --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_CLASSCOMPILER_H
#define BLINK_COMPILER_DRIVER_CLASSCOMPILER_H

#include "compiler/driver/Pipeline.h"

#include <map>

namespace blink {

/// Compiles several collectives for one allocation. A reduce, reducescatter or
/// gather is made of the forest of its mirror image, where the machine is its
/// own (MirrorForests.h): packed once, whichever of the two are asked for.
///
/// Certificates price nothing but links on drivable paths between the GPUs. A
/// solver may leave others with prices near zero: true, but they would tie the
/// certificate to links that another allocation does not have.
///
/// An object belongs to one thread; several threads may each have one.
class ClassCompiler {
public:
  /// `options` with GPUs; its collective and root are not looked at. `roots`:
  /// the ranks that rooted collectives get a program for. `topology` must
  /// outlive this. Errors: a GPU or an edited link that does not exist.
  static llvm::Expected<std::unique_ptr<ClassCompiler>>
  create(const Topology &topology, const CompileOptions &options,
         std::vector<int> roots);
  ~ClassCompiler();

  /// The bytes of a .sched file, proved by collective-verify-schedule. Errors:
  /// those of buildRequest and of the passes, without a place.
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
  Topology degraded_;                       // with its links edited
  std::optional<std::vector<int>> reverse_; // of links, if each has one
  std::vector<bool> onPaths_;               // by link
  std::unique_ptr<mlir::MLIRContext> context_;
  std::string errors_; // of the context's, so far
  std::map<Collective, mlir::OwningOpRef<mlir::ModuleOp>> forests_;
};

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_CLASSCOMPILER_H
