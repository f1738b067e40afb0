//===- ForeignForest.cpp - trees that another program made ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/ForeignForest.h"

#include "compiler/import/XmlDocument.h"

#include <map>

using namespace blink;

/// Splits at commas outside of brackets: "(0, 'GPU', 0),sw".
static std::vector<std::string> splitNames(llvm::StringRef text) {
  std::vector<std::string> names;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && (text[at] == '(' || text[at] == '['))
      ++depth;
    else if (at < text.size() && (text[at] == ')' || text[at] == ']'))
      --depth;
    if (at < text.size() && (text[at] != ',' || depth > 0))
      continue;
    names.push_back(text.slice(begin, at).trim().str());
    begin = at + 1;
  }
  return names;
}

/// Reads a whole number that is at least 1.
static llvm::Expected<uint32_t> readCount(const XmlDocument &document,
                                          const pugi::xml_node &element,
                                          const char *name) {
  uint32_t count = 0;
  if (llvm::StringRef(element.attribute(name).value())
          .getAsInteger(10, count) ||
      count == 0)
    return document.error(element, llvm::Twine(name) +
                                       ": expected a whole number, 1 or more");
  return count;
}

static llvm::Expected<ForeignHop> readHop(const XmlDocument &document,
                                          const pugi::xml_node &send) {
  const std::string from = send.attribute("src").value();
  const std::string to = send.attribute("dst").value();
  if (from.empty() || to.empty() || from == to)
    return document.error(send, "expected src and dst, the names of two GPUs");
  ForeignHop hop{{from, to}, document.where(send)};
  if (pugi::xml_attribute path = send.attribute("path"))
    hop.path = splitNames(path.value());
  if (hop.path.size() < 2 || hop.path.front() != from || hop.path.back() != to)
    return document.error(send, "path: expected names of nodes from src to "
                                "dst, with commas between");
  return hop;
}

static llvm::Expected<ForeignTree> readTree(const XmlDocument &document,
                                            const pugi::xml_node &element) {
  llvm::Expected<uint32_t> chunks = readCount(document, element, "nchunks");
  if (!chunks)
    return chunks.takeError();
  ForeignTree tree{
      element.attribute("root").value(), *chunks, {}, document.where(element)};
  if (tree.root.empty())
    return document.error(element, "expected root, the name of a GPU");
  for (const pugi::xml_node &send : element.children("send")) {
    llvm::Expected<ForeignHop> hop = readHop(document, send);
    if (!hop)
      return hop.takeError();
    tree.hops.push_back(std::move(*hop));
  }
  return tree;
}

llvm::Expected<ForeignForest> blink::readForestColl(llvm::StringRef text,
                                                    llvm::StringRef fileName) {
  auto document = XmlDocument::parse(text, fileName);
  if (!document)
    return document.takeError();
  const pugi::xml_node algo = (*document)->root();
  if (llvm::StringRef(algo.name()) != "Algo")
    return (*document)->error(
        algo, llvm::Twine("<") + algo.name() +
                  ">: expected <Algo> with trees, as ForestColl's "
                  "spanning_trees_to_xml writes it");
  llvm::Expected<uint32_t> whole =
      readCount(**document, algo, "nchunkspernode");
  if (!whole)
    return whole.takeError();
  ForeignForest forest{fileName.str(), {}};
  std::map<std::string, uint64_t> sums;
  for (const pugi::xml_node &element : algo.children("tree")) {
    llvm::Expected<ForeignTree> tree = readTree(**document, element);
    if (!tree)
      return tree.takeError();
    sums[tree->root] += tree->chunks;
    forest.trees.push_back(std::move(*tree));
  }
  if (forest.trees.empty())
    return (*document)->error(algo, "expected a <tree> at least");
  for (const auto &[root, sum] : sums)
    if (sum != *whole)
      return (*document)->error(
          algo, "trees from " + root + " have " + llvm::Twine(sum) +
                    " chunks; expected nchunkspernode, " + llvm::Twine(*whole));
  return forest;
}
