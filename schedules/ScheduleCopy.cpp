//===- ScheduleCopy.cpp - copies with other variants ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The compiler writes in the same order, so that a copy of a file it wrote has
// the same bytes.
//
//===----------------------------------------------------------------------===//

#include "schedules/ScheduleCopy.h"

#include "schedules/Provenance.h"
#include "schedules/ScheduleFile.h"

namespace blink::sched {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
template <typename T> using Offset = flatbuffers::Offset<T>;

template <typename T>
std::vector<T> numbersOf(const flatbuffers::Vector<T> &vector) {
  return {vector.begin(), vector.end()};
}

Offset<Program> copyProgram(Builder &builder, const Program &from,
                            const ProgramParts &parts) {
  std::vector<Offset<Variant>> variants;
  for (const VariantParts &variant : parts.variants)
    variants.push_back(variant.write(builder));
  const auto prices =
      builder.CreateVector(numbersOf(*from.certificate()->prices()));
  const auto certificate =
      CreateCertificate(builder, from.certificate()->bound(), prices);
  Offset<flatbuffers::Vector<uint16_t>> relays;
  if (from.relays())
    relays = builder.CreateVector(numbersOf(*from.relays()));
  const auto allVariants = builder.CreateVector(variants);
  const auto allocation = builder.CreateVector(numbersOf(*from.allocation()));
  const auto symmetry = writeRenamings(builder, parts.symmetry);
  return CreateProgram(builder, from.collective(), from.root(), allocation,
                       from.algbw(), certificate, allVariants, relays,
                       from.order(), from.accumulate(), symmetry);
}

Offset<Topology> copyTopology(Builder &builder, const Topology &from) {
  std::vector<Offset<Node>> nodes;
  for (const Node *node : *from.nodes()) {
    Offset<flatbuffers::String> device;
    if (node->device())
      device = builder.CreateString(node->device());
    const auto id = builder.CreateString(node->id());
    nodes.push_back(CreateNode(builder, id, node->kind(), node->multicast(),
                               node->reduce(), device));
  }
  std::vector<Link> links;
  for (const Link *link : *from.links())
    links.push_back(*link);
  const auto allLinks = builder.CreateVectorOfStructs(links);
  const auto allNodes = builder.CreateVector(nodes);
  const auto name = builder.CreateString(from.name());
  return CreateTopology(builder, name, from.fingerprint(), allNodes, allLinks);
}

} // namespace

Offset<flatbuffers::Vector<Offset<SymmetryGenerator>>>
writeRenamings(Builder &builder, const std::vector<Renaming> &renamings) {
  if (renamings.empty())
    return {};
  std::vector<Offset<SymmetryGenerator>> generators;
  for (const Renaming &renaming : renamings)
    generators.push_back(CreateSymmetryGenerator(
        builder, builder.CreateVector(renaming.nodes), renaming.steps));
  return builder.CreateVector(generators);
}

std::vector<uint8_t> copySchedule(const Schedule &file,
                                  const std::vector<ProgramParts> &programs) {
  Builder builder;
  std::vector<Offset<Program>> copies;
  for (uint32_t i = 0; i < file.programs()->size(); ++i)
    copies.push_back(
        copyProgram(builder, *file.programs()->Get(i), programs[i]));
  const auto provenance =
      writeProvenance(builder, file.provenance()->compiler()->str(),
                      settingsOf(*file.provenance()));
  const auto topology = copyTopology(builder, *file.topology());
  const auto allPrograms = builder.CreateVector(copies);
  return sealSchedule(builder,
                      CreateSchedule(builder, file.format_version(), provenance,
                                     file.link_kinds(), topology, allPrograms));
}

} // namespace blink::sched
