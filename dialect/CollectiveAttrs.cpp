//===- CollectiveAttrs.cpp - attribute syntax and rules -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Parsing, printing and verification of the dialect's attributes.
//
//===----------------------------------------------------------------------===//

#include "dialect/AttrSyntax.h"
#include "dialect/Collective.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace blink::collective;

LogicalResult
LinkKindsAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<LinkKind> kinds) {
  if (kinds.empty())
    return emitError() << "expected at least one kind of link";
  for (size_t i = 1; i < kinds.size(); ++i)
    if (kinds[i - 1] >= kinds[i])
      return emitError() << "link kinds must be in the order of their "
                            "definition, none twice: "
                         << stringifyLinkKind(kinds[i]) << " stands after "
                         << stringifyLinkKind(kinds[i - 1]);
  return success();
}

ParseResult blink::collective::parseEdge(AsmParser &parser, EdgeAttr &edge) {
  int32_t from = 0, to = 0;
  ArrayAttr path;
  if (parser.parseInteger(from) || parser.parseArrow() ||
      parser.parseInteger(to) || parser.parseKeyword("via") ||
      parseLinkNames(parser, path))
    return failure();
  SmallVector<StringAttr> names(path.getAsRange<StringAttr>());
  edge = EdgeAttr::get(parser.getContext(), from, to, names);
  return success();
}

void blink::collective::printEdge(AsmPrinter &printer, EdgeAttr edge) {
  printer << edge.getFrom() << " -> " << edge.getTo() << " via ";
  printLinkNames(printer, edge.getPath());
}

Attribute EdgeAttr::parse(AsmParser &parser, Type) {
  EdgeAttr edge;
  if (parser.parseLess() || parseEdge(parser, edge) || parser.parseGreater())
    return {};
  return edge;
}

void EdgeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printEdge(printer, *this);
  printer << '>';
}

Attribute SwitchUseAttr::parse(AsmParser &parser, Type) {
  ArrayAttr path;
  if (parser.parseLess())
    return {};
  const bool reduces = succeeded(parser.parseOptionalKeyword("reduce"));
  const bool multicasts = succeeded(parser.parseOptionalKeyword("multicast"));
  if (!reduces && !multicasts) {
    parser.emitError(parser.getCurrentLocation(),
                     "expected reduce, multicast or both");
    return {};
  }
  if (parser.parseKeyword("via") || parseLinkNames(parser, path) ||
      parser.parseGreater())
    return {};
  SmallVector<StringAttr> names(path.getAsRange<StringAttr>());
  return SwitchUseAttr::get(parser.getContext(), reduces, multicasts, names);
}

void SwitchUseAttr::print(AsmPrinter &printer) const {
  printer << '<' << (getReduces() ? "reduce " : "")
          << (getMulticasts() ? "multicast " : "") << "via ";
  printLinkNames(printer, getPath());
  printer << '>';
}

ParseResult blink::collective::parseLinkNames(AsmParser &parser,
                                              ArrayAttr &names) {
  SmallVector<Attribute> list;
  auto parseName = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    list.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName))
    return failure();
  names = ArrayAttr::get(parser.getContext(), list);
  return success();
}

void blink::collective::printLinkNames(AsmPrinter &printer,
                                       ArrayRef<StringAttr> names) {
  printer << '[';
  llvm::interleaveComma(names, printer, [&](StringAttr name) {
    printer.printKeywordOrString(name.getValue());
  });
  printer << ']';
}
