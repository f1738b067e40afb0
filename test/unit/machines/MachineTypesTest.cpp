//===- MachineTypesTest.cpp - the shipped machine types by name -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/machines/MachineTypes.h"
#include "test/common/Folders.h"

#include "doctest/doctest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace blink;
using Names = std::vector<llvm::StringRef>;

TEST_CASE("machine types are the files of topologies/, by name") {
  REQUIRE(machineTypes().size() >= 30);
  CHECK(llvm::is_sorted(machineTypes(), [](const auto &a, const auto &b) {
    return a.name < b.name;
  }));
  for (const MachineType &type : machineTypes()) {
    CAPTURE(type.name.str());
    auto file = llvm::MemoryBuffer::getFile(
        test::sourceFolder() + "/topologies/" + type.name + ".topo");
    REQUIRE(bool(file));
    CHECK((*file)->getBuffer() == type.text);
    Topology topology = type.topology();
    CHECK(topology.name == type.name);
    CHECK(topology.description == type.description);
    CHECK(findMachineType(type.name) == &type);
  }
}

TEST_CASE("names that are near are found, and those that hold a word") {
  CHECK(findMachineType("dgx-h10") == nullptr);
  CHECK(findMachineType("") == nullptr);
  Names near = machineTypesLike("dgx-h10");
  REQUIRE_FALSE(near.empty());
  CHECK(near.front() == "dgx-h100");
  CHECK(llvm::is_contained(machineTypesLike("PCIE-8"), "pcie-8gpu"));
  // The word is in the description.
  CHECK(machineTypesLike("aws-p5").front() == "dgx-h100");
  CHECK_FALSE(llvm::is_contained(machineTypesLike("ws-p5"), "dgx-h100"));
  CHECK(machineTypesLike("mainframe").empty());
  CHECK(machineTypesLike("").empty());
  CHECK(machineTypesLike(std::string(1 << 20, 'x')).empty());
}
