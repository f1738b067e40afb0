//===- Dot.cpp - a machine under load, for graphviz -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/Dot.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace blink;

/// Returns a quoted id: within quotes only quotes and backslashes are special.
static std::string quote(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

/// Returns a colour from light grey over orange to red, as hue, saturation and
/// value.
static std::string colorOf(double percent) {
  double full = std::clamp(percent / 100, 0.0, 1.0);
  return llvm::formatv("{0:F3} {1:F3} {2:F3}", 0.1 * (1 - full), full,
                       0.75 + 0.1 * full);
}

std::string blink::toDot(const Explanation &explanation) {
  const Summary &summary = explanation.summary;
  std::string text = "digraph " + quote(summary.topology) + " {\n";
  text += "  label=" +
          quote(llvm::formatv("{0} on {1}, GPUs {2}: {3} of at most {4}",
                              toString(summary.collective), summary.topology,
                              summary.gpuList(), formatRate(summary.algbw),
                              formatRate(summary.bound))
                    .str()) +
          ";\n  layout=neato; overlap=false; splines=true;\n"
          "  node [shape=box, style=rounded];\n  edge [fontsize=8];\n";
  for (const LinkReport &link : explanation.links)
    text += llvm::formatv(
        "  {0} -> {1} [label=\"{2:F1} / {3:F1}\", color=\"{4}\"{5}, "
        "tooltip=\"{6}\"];\n",
        quote(link.from), quote(link.to), link.load, link.bandwidth,
        colorOf(link.percent()), link.price > 0 ? ", style=dashed" : "",
        toString(link.kind));
  return text + "}\n";
}
