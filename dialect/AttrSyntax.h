//===- AttrSyntax.h - syntax shared by attributes and ops -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Pieces of assembly syntax that occur in attributes and, without the
// attribute's brackets, in operations. Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_DIALECT_ATTRSYNTAX_H
#define BLINK_DIALECT_ATTRSYNTAX_H

#include "dialect/Collective.h"

#include "mlir/IR/OpImplementation.h"

namespace blink::collective {

/// `0 -> 3 via [gpu0.gpu3]`
mlir::ParseResult parseEdge(mlir::AsmParser &parser, EdgeAttr &edge);
void printEdge(mlir::AsmPrinter &printer, EdgeAttr edge);

/// `[gpu0.plx0, plx0.cpu0]`; names that are not keywords are quoted.
mlir::ParseResult parseLinkNames(mlir::AsmParser &parser,
                                 mlir::ArrayAttr &names);
void printLinkNames(mlir::AsmPrinter &printer,
                    llvm::ArrayRef<mlir::StringAttr> names);

} // namespace blink::collective

#endif // BLINK_DIALECT_ATTRSYNTAX_H
