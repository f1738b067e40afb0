//===- RatesTest.cpp --------------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// GPUs are recognised by the names that drivers and users give them. Links have
// the rates of data sheets and NCCL.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Rates.h"

#include "doctest/doctest.h"

#include <string>

using namespace blink;

static std::string modelOf(const char *product) {
  const GpuModel *model = gpuModelOfProduct(product);
  return model ? model->name.str() : "none";
}

TEST_CASE("models are found by what drivers call them") {
  CHECK(modelOf("Tesla P100-SXM2-16GB") == "p100-sxm");
  CHECK(modelOf("Tesla P100-PCIE-16GB") == "p100-pcie");
  CHECK(modelOf("Tesla V100-SXM2-32GB") == "v100-sxm");
  CHECK(modelOf("Tesla V100-SXM3-32GB") == "v100-sxm");
  CHECK(modelOf("Tesla V100-DGXS-16GB") == "v100-sxm");
  CHECK(modelOf("NVIDIA A100-SXM4-80GB") == "a100-sxm");
  CHECK(modelOf("NVIDIA A100 80GB PCIe") == "a100-pcie");
  CHECK(modelOf("NVIDIA A10") == "a10");
  CHECK(modelOf("NVIDIA A10G") == "a10g");
  CHECK(modelOf("NVIDIA H100 80GB HBM3") == "h100-sxm");
  CHECK(modelOf("NVIDIA H100 PCIe") == "h100-pcie");
  CHECK(modelOf("NVIDIA H100 NVL") == "h100-nvl");
  CHECK(modelOf("NVIDIA H200") == "h200-sxm");
  CHECK(modelOf("NVIDIA GH200 480GB") == "gh200");
  CHECK(modelOf("NVIDIA B200") == "b200-sxm");
  CHECK(modelOf("NVIDIA GB200") == "gb200");
  CHECK(modelOf("NVIDIA GeForce RTX 3090") == "rtx-3090");
  CHECK(modelOf("NVIDIA RTX A6000") == "rtx-a6000");
  CHECK(modelOf("NVIDIA L40S") == "l40s");
  CHECK(modelOf("NVIDIA L40") == "l40");
  CHECK(modelOf("AMD Instinct MI250X") == "mi250");
  CHECK(modelOf("AMD Instinct MI300X") == "mi300x");
  CHECK(modelOf("NVIDIA GeForce GTX 1080") == "none");
  CHECK(modelOf("") == "none");
}

TEST_CASE("models are found by their names and by their families'") {
  CHECK(findGpuModel("H100-PCIe")->name == "h100-pcie");
  CHECK(findGpuModel("h100")->name == "h100-sxm");
  CHECK(findGpuModel("h1000") == nullptr);
  CHECK(findGpuModel("") == nullptr);
  CHECK(gpuModelOfArchitecture(90)->name == "h100-sxm");
  CHECK(gpuModelOfArchitecture(942)->name == "mi300x");
  CHECK(gpuModelOfArchitecture(0) == nullptr);
  for (const GpuModel &model : gpuModels()) {
    CAPTURE(model.name.str());
    CHECK(findGpuModel(model.name) == &model);
    CHECK(model.nccl <= model.nominal);
  }
}

TEST_CASE("PCIe carries what data sheets say, and NCCL's figures less") {
  auto nominal = [](double speed, int lanes) {
    return pciBandwidth({speed, lanes}, RateSource::nominal);
  };
  CHECK(nominal(2.5, 16) == doctest::Approx(4));
  CHECK(nominal(8, 16) == doctest::Approx(15.75));
  CHECK(nominal(16, 16) == doctest::Approx(31.5));
  CHECK(nominal(32, 8) == doctest::Approx(31.5));
  CHECK(nominal(64, 16) == doctest::Approx(121));
  CHECK(pciBandwidth({8, 16}, RateSource::nccl) == doctest::Approx(12));
  CHECK(pciBandwidth({32, 16}, RateSource::nccl) == doctest::Approx(48));
}

TEST_CASE("speeds are read as kernels and NCCL write them") {
  CHECK(parsePciSpeed("32.0 GT/s PCIe") == 32);
  CHECK(parsePciSpeed("8 GT/s") == 8);
  CHECK(parsePciSpeed("2.5 GT/s") == 2.5);
  for (const char *none : {"", "Unknown", "7 GT/s", "GT/s", "1e9", "-8"})
    CHECK(parsePciSpeed(none) == 0);
}

TEST_CASE("CPUs are joined by what is known of theirs, and of later ones") {
  using Vendor = CpuModel::Vendor;
  auto nccl = [](Vendor vendor, int family, int model) {
    return hostRate({vendor, family, model}, RateSource::nccl).bandwidth;
  };
  CHECK(nccl(Vendor::intel, 6, 79) == 6);
  CHECK(nccl(Vendor::intel, 6, 85) == 10);
  CHECK(nccl(Vendor::intel, 6, 143) == 22);
  CHECK(nccl(Vendor::intel, 6, 207) == 40);
  CHECK(nccl(Vendor::amd, 25, 17) == 16);
  CHECK(nccl(Vendor::power, 0, 0) == 32);
  CHECK(nccl(Vendor::unknown, 0, 0) > 0);
}
