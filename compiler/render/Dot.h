//===- Dot.h - a machine under load, for graphviz ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_DOT_H
#define BLINK_COMPILER_RENDER_DOT_H

#include "compiler/report/Explanation.h"

namespace blink {

/// Draws the links of an explanation as a digraph in the language of Graphviz.
/// Links are labelled "load / bandwidth", coloured from grey to red by their
/// utilisation, and dashed if the certificate calls them scarce.
std::string toDot(const Explanation &explanation);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_DOT_H
