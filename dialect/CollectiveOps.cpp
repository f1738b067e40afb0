//===- CollectiveOps.cpp - generated code of the operations ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The code that TableGen generates for the operations, and the syntax that they
// share. The requests (level 2) need no other code.
//
//===----------------------------------------------------------------------===//

#include "dialect/AttrSyntax.h"
#include "dialect/Collective.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace blink::collective;

//===----------------------------------------------------------------------===//
// Syntax that operations share
//===----------------------------------------------------------------------===//

/// `[0 -> 1 via [a], 1 -> 2 via [b, c]]`
static ParseResult parseEdges(OpAsmParser &parser, ArrayAttr &edges) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    EdgeAttr edge;
    if (parseEdge(parser, edge))
      return failure();
    list.push_back(edge);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  edges = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printEdges(OpAsmPrinter &printer, Operation *, ArrayAttr edges) {
  printer << '[';
  llvm::interleaveComma(edges.getAsRange<EdgeAttr>(), printer,
                        [&](EdgeAttr edge) { printEdge(printer, edge); });
  printer << ']';
}

static ParseResult parseChannelPath(OpAsmParser &parser, ArrayAttr &path) {
  return parseLinkNames(parser, path);
}

static void printChannelPath(OpAsmPrinter &printer, Operation *,
                             ArrayAttr path) {
  SmallVector<StringAttr> names(path.getAsRange<StringAttr>());
  printLinkNames(printer, names);
}

/// `[1.0, 0.25]`. A price must be read back with every bit, or the certificate
/// changes; MLIR's own printer of dense arrays keeps seven digits only.
static ParseResult parsePrices(OpAsmParser &parser, DenseF64ArrayAttr &prices) {
  SmallVector<double> list;
  auto parseOne = [&]() { return parser.parseFloat(list.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  prices = parser.getBuilder().getDenseF64ArrayAttr(list);
  return success();
}

static void printPrices(OpAsmPrinter &printer, Operation *,
                        DenseF64ArrayAttr prices) {
  printer << '[';
  llvm::interleaveComma(prices.asArrayRef(), printer, [&](double price) {
    printer.printFloat(llvm::APFloat(price));
  });
  printer << ']';
}

/// `(input[0], @c1)`
static ParseResult parseFoldOperands(OpAsmParser &parser, ArrayAttr &operands) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    StringAttr channel;
    if (succeeded(parser.parseOptionalSymbolName(channel))) {
      list.push_back(FlatSymbolRefAttr::get(channel));
      return success();
    }
    StringRef word;
    int32_t block = 0;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<BufferKind> kind = symbolizeBufferKind(word);
    if (!kind)
      return parser.emitError(loc, "expected a channel (@name), input[block] "
                                   "or output[block]");
    if (parser.parseLSquare() || parser.parseInteger(block) ||
        parser.parseRSquare())
      return failure();
    list.push_back(BufferAttr::get(parser.getContext(), *kind, block));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  operands = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printFoldOperands(OpAsmPrinter &printer, Operation *,
                              ArrayAttr operands) {
  printer << '(';
  llvm::interleaveComma(operands, printer, [&](Attribute operand) {
    if (auto buffer = dyn_cast<BufferAttr>(operand))
      printer << stringifyBufferKind(buffer.getKind()) << '['
              << buffer.getBlock() << ']';
    else
      printer << operand;
  });
  printer << ')';
}

#define GET_OP_CLASSES
#include "dialect/CollectiveOps.cpp.inc"
