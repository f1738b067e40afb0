//===- EmulatedTest.cpp - machines that are not here ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What the CUDA back end reports for machines that a schedule does not fit, and
// what it does if copies are slow. The machines are emulated (test/emulation).
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/MachineGpus.h"
#include "runtime/cuda/RankDevices.h"
#include "schedules/Text.h"
#include "test/common/BundleBuilder.h"
#include "test/common/Contains.h"
#include "test/conformance/Floats.h"
#include "test/conformance/Job.h"
#include "test/conformance/Opened.h"
#include "test/conformance/Workers.h"
#include "test/emulation/Emulation.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns the error of blinkCommInitAll for a schedule on emulated devices.
std::string initError(const std::vector<uint8_t> &bytes, int numRanks,
                      const int *devices) {
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  std::vector<blinkComm_t> comms(numRanks);
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  blinkResult_t result =
      blinkCommInitAll(comms.data(), numRanks, devices, schedule, &config);
  std::string text = result == blinkSuccess ? "" : blinkGetLastError(nullptr);
  for (blinkComm_t comm : comms)
    blinkCommDestroy(comm);
  blinkScheduleClose(schedule);
  return text;
}
std::string initError(const TestSchedule &model, int numRanks,
                      const int *devices) {
  return initError(seal(model), numRanks, devices);
}

} // namespace

TEST_CASE("what the machine cannot run is refused in a sentence") {
  TestSchedule four = makeSchedule(Collective::allreduce, 0, 4, {});
  emulatedMachine = {};
  CHECK(initError(four, 4, nullptr) == "");
  emulatedMachine.devices = 3;
  CHECK(contains(initError(four, 4, nullptr),
                 "rank 3 is for GPU 3, this machine has 3"));
  const int onTwo[] = {0, 0, 1, 1}, wrong[] = {0, 1, -1, 2};
  CHECK(initError(four, 4, onTwo) == "");
  CHECK(contains(initError(four, 4, wrong), "rank 2 is for GPU -1"));
  emulatedMachine.peerBorder = 1;
  CHECK(contains(initError(four, 4, onTwo),
                 "cannot access each other's memory here"));
  for (sched::ChannelKind kind :
       {sched::ChannelKind::staged, sched::ChannelKind::network})
    CHECK(initError(withKind(four, kind), 4, onTwo) == "");
  emulatedMachine = {};
  emulatedMachine.residentLanes = 3;
  CHECK(contains(initError(four, 4, onTwo), "4 lanes, 3 can run"));
  emulatedMachine = {};
  const std::vector<int> onOne(33);
  CHECK(contains(initError(makeSchedule(Collective::allreduce, 0, 33, {}), 33,
                           onOne.data()),
                 "33 ranks are on GPU 0, which runs 32 together"));
}

namespace {

/// Two ranks join by an id on these devices. Returns their errors, once if both
/// say the same.
std::string joinError(int first, int second) {
  const std::vector<uint8_t> bytes =
      seal(makeSchedule(Collective::allreduce, 0, 2, {}));
  blinkSchedule_t schedule;
  REQUIRE(blinkScheduleOpenMemory(bytes.data(), bytes.size(), &schedule) ==
          blinkSuccess);
  const blinkUniqueId id = makeId();
  std::string said[2];
  std::vector<std::thread> threads;
  for (int rank : {0, 1})
    threads.emplace_back([&, rank] {
      blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
      config.backend = blinkBackendCuda;
      blinkComm_t comm = nullptr;
      if (blinkCommInitRank(&comm, 2, id, rank, rank == 0 ? first : second,
                            schedule, &config) != blinkSuccess)
        said[rank] = blinkGetLastError(nullptr);
      blinkCommDestroy(comm);
    });
  for (std::thread &thread : threads)
    thread.join();
  blinkScheduleClose(schedule);
  return said[0] == said[1] ? said[0] : said[0] + said[1];
}

} // namespace

TEST_CASE("what ranks that join cannot run is refused in a sentence") {
  emulatedMachine = {};
  emulatedMachine.residentLanes = 3;
  CHECK(joinError(0, 1) == "");
  CHECK(joinError(1, 1) ==
        "ranks 0,1 are on one GPU and have 4 lanes together, 3 can run there "
        "at the same time: give them GPUs of their own, or compile with fewer "
        "lanes");
  emulatedMachine = {};
  CHECK(joinError(1, 1) == "");
  emulatedMachine.hostOffset = 4096;
  CHECK(contains(joinError(0, 1), "see registered host memory at other "));
  // These devices have not been used by any other test.
  emulatedMachine = {};
  emulatedMachine.devices = 12;
  emulatedMachine.mostPeers = 0;
  const std::string error = joinError(10, 11);
  CHECK((contains(error, "GPU 10 cannot reach GPU 11, too") ||
         contains(error, "GPU 11 cannot reach GPU 10, too")));
  emulatedMachine = {};
}

namespace {

/// The values that two ranks sum up.
struct Summands {
  Floats values[2] = {Floats(100), Floats(100)};

  void fill() {
    for (int rank : {0, 1}) {
      std::fill(values[rank].host.begin(), values[rank].host.end(),
                rank + 1.0f);
      values[rank].upload();
    }
  }
  /// Sums in one launch if the ranks share a device, otherwise with one call
  /// after the other.
  void sum(const Job &job, const cudaStream_t (&streams)[2], bool together) {
    if (together)
      blinkGroupStart();
    for (int rank : {0, 1}) {
      float *data = values[rank].memory;
      CHECK(blinkAllReduce(data, data, 100, blinkFloat32, blinkSum, job[rank],
                           streams[rank]) == blinkSuccess);
    }
    if (together)
      CHECK(blinkGroupEnd() == blinkSuccess);
    for (int rank : {0, 1}) {
      CHECK(cudaStreamSynchronize(streams[rank]) == cudaSuccess);
      values[rank].download();
      CHECK(values[rank].host == std::vector<float>(100, 3.0f));
    }
  }
};

} // namespace

TEST_CASE("kernels find their programs, in streams that wait for no other") {
  emulatedMachine = {};
  emulatedMachine.copyDelay = std::chrono::milliseconds(20);
  Summands summands;
  summands.fill(); // waits; from programs to kernels nothing else does
  cudaStream_t streams[2];
  for (int rank : {0, 1}) {
    useDeviceOf(rank);
    REQUIRE(cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking) ==
            cudaSuccess);
  }
  {
    Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2);
    summands.sum(job, streams, true);
  }
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  emulatedMachine = {};
}

TEST_CASE("ranks that were launched together may be launched apart") {
  emulatedMachine = {};
  emulatedMachine.devices = 1;
  Job job(makeSchedule(Collective::allreduce, 0, 2, {}), 2, 5000);
  const cudaStream_t streams[] = {
      reinterpret_cast<cudaStream_t>(job.stream(0)),
      reinterpret_cast<cudaStream_t>(job.stream(1))};
  Summands summands;
  for (bool together : {true, false, true, true, false, false}) {
    summands.fill();
    summands.sum(job, streams, together);
  }
  emulatedMachine = {};
}

namespace {

/// A directory tree like sysfs, removed at the end.
struct FakeSysfs {
  std::filesystem::path root;
  FakeSysfs() {
    char name[] = "/tmp/blink-sysfs-XXXXXX";
    REQUIRE(mkdtemp(name));
    root = name;
    runtime::sysfsRoot = root.c_str();
  }
  ~FakeSysfs() {
    runtime::sysfsRoot = "/sys";
    std::filesystem::remove_all(root);
  }
  void add(const char *address, const char *vendor, const char *kind) const {
    const std::filesystem::path device = root / "bus/pci/devices" / address;
    std::filesystem::create_directories(device);
    std::ofstream(device / "vendor") << vendor << "\n";
    std::ofstream(device / "class") << kind << "\n";
  }
  void addGpu(const char *address) const { add(address, "0x10de", "0x030200"); }
};

/// Returns the GPUs that an error is about, or else the whole error.
std::string afterGpus(const std::string &error) {
  const std::string before = "no schedules for GPUs ";
  const size_t begin = error.find(before);
  if (begin == std::string::npos)
    return error;
  return error.substr(begin + before.size(),
                      error.find(':', begin) - begin - before.size());
}

/// Returns the GPUs that the library looks up in a bundle without schedules for
/// them: those of `devices`, or of all visible devices.
std::string gpusAsked(int numRanks, const int *devices) {
  BundleOptions options;
  options.numGpus = 16;
  options.collectives = {Collective::allreduce};
  options.allocations = {{15}};
  const std::vector<uint8_t> bytes = seal(makeBundle(options));
  return afterGpus(initError(bytes, numRanks, devices));
}

} // namespace

TEST_CASE("a machine's GPUs are numbered by address, hidden ones too") {
  FakeSysfs sysfs;
  emulatedMachine = {};
  emulatedMachine.devices = 3;
  emulatedMachine.buses = {0xd0, 0x1b, 0x40};
  // Without such a tree the numbers are CUDA's.
  CHECK(gpusAsked(3, nullptr) == "0,1,2");
  for (const char *address : {"0000:d0:00.0", "0000:1b:00.0", "0000:40:00.0",
                              "0000:0a:00.0", "0000:3f:00.0"})
    sysfs.addGpu(address);
  sysfs.add("0000:00:02.0", "0x8086", "0x030000");  // display of another vendor
  sysfs.add("0000:0a:00.1", "0x10de", "0x040300");  // an audio function
  sysfs.add("0000:05:00.0", "0x10de", "0x068000");  // an NVSwitch
  sysfs.add("0000:1b:00.7x", "0x10de", "0x030200"); // not an address
  CHECK(gpusAsked(3, nullptr) == "4,1,3");
  const int backwards[] = {2, 1, 0}, one[] = {2}, shared[] = {0, 1, 0};
  CHECK(gpusAsked(3, backwards) == "3,1,4");
  CHECK(gpusAsked(1, one) == "3");
  CHECK(gpusAsked(3, shared) == "0,1,2");
  sysfs.add("0000:02:00.0", "0x10de", "0x030000"); // has a display
  CHECK(gpusAsked(3, nullptr) == "5,2,4");
  sysfs.addGpu("10000:01:00.0"); // behind a bridge with its own domain
  sysfs.addGpu("0001:00:00.0");
  CHECK(gpusAsked(3, nullptr) == "5,2,4");
  // A device that is not in the tree: the tree belongs to another machine.
  emulatedMachine.buses = {0xd0, 0x1b, 0x41};
  CHECK(gpusAsked(3, nullptr) == "0,1,2");
  emulatedMachine = {};
}

TEST_CASE("PCI addresses are read whatever their form, or not at all") {
  using runtime::pciAddress;
  CHECK(pciAddress("0000:1B:00.0") == pciAddress("00000000:1b:00.0"));
  CHECK(pciAddress("0000:1b:02.3") == (uint64_t(0x1b) << 8 | 2 << 3 | 3));
  CHECK(pciAddress("0001:00:00.0") > pciAddress("0000:ff:1f.7"));
  CHECK(pciAddress("10000:00:00.0") > pciAddress("ffff:ff:1f.7"));
  for (const char *wrong :
       {"", "0000:1b:00", "0000:1b:00.8", "0000:100:00.0", "0000:1b:20.0",
        "0000:1b:00.0 ", "100000000:00:00.0", " 0000:1b:00.0", "0000:-1:00.0",
        "0000:1b:00.0x", "0x00:1b:00.0", ":::.", "pci0000"})
    CHECK(!pciAddress(wrong));
}

namespace {

/// Ranks join by an id, each on its own thread, without naming GPUs. Returns
/// gpusAsked() of each rank.
std::vector<std::string> gpusMet(const std::vector<int> &devices) {
  BundleOptions options;
  options.numGpus = 16;
  options.collectives = {Collective::allreduce};
  options.allocations = {{15}};
  const Opened opened(seal(makeBundle(options)));
  const blinkUniqueId id = makeId();
  std::vector<std::string> said(devices.size());
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < devices.size(); ++rank)
    threads.emplace_back([&, rank] {
      blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
      config.backend = blinkBackendCuda;
      blinkComm_t comm;
      CHECK(blinkCommInitRank(&comm, int(devices.size()), id, int(rank),
                              devices[rank], opened.schedule,
                              &config) != blinkSuccess);
      said[rank] = afterGpus(blinkGetLastError(nullptr));
    });
  for (std::thread &thread : threads)
    thread.join();
  return said;
}

} // namespace

TEST_CASE("ranks that join by an id tell each other their GPUs") {
  FakeSysfs sysfs;
  emulatedMachine = {};
  emulatedMachine.devices = 3;
  emulatedMachine.buses = {0xd0, 0x1b, 0x40};
  const auto all = [](const std::vector<std::string> &said, const char *gpus) {
    for (const std::string &one : said)
      CHECK(one == gpus);
  };
  all(gpusMet({0, 1, 2}), "0,1,2");
  for (const char *address : {"0000:d0:00.0", "0000:1b:00.0", "0000:40:00.0",
                              "0000:0a:00.0", "0000:3f:00.0"})
    sysfs.addGpu(address);
  all(gpusMet({0, 1, 2}), "4,1,3");
  all(gpusMet({2, 0}), "3,4");
  all(gpusMet({1}), "1");
  all(gpusMet({1, 0, 1}), "0,1,2");
  emulatedMachine.buses = {0xd0, 0x1b, 0x41};
  all(gpusMet({2, 1, 0}), "2,1,0");
  emulatedMachine = {};
}

TEST_CASE("all ranks of a bundle's job have the list of GPUs, or none has") {
  emulatedMachine = {};
  BundleOptions options;
  options.numGpus = 2;
  options.collectives = {Collective::allreduce};
  options.allocations = {{0, 1}};
  const Opened opened(seal(makeBundle(options)));
  const blinkUniqueId id = makeId();
  std::vector<std::thread> threads;
  std::atomic<int> refused{0}, waited{0};
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      const int gpus[] = {0, 1};
      blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
      config.backend = blinkBackendCuda;
      config.timeoutMs = 300;
      config.gpus = rank == 1 ? gpus : nullptr;
      blinkComm_t comm;
      CHECK(blinkCommInitRank(&comm, 2, id, rank, rank, opened.schedule,
                              &config) != blinkSuccess);
      const std::string error = blinkGetLastError(nullptr);
      refused += contains(error, "rank 1 knows the GPUs of all ranks") &&
                 contains(error, "rank 0 asks for them") &&
                 contains(error, "blinkConfig_t::gpus to all or to none");
      waited += contains(error, "waited 300 ms for rank");
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK((refused == 1 && waited == 1)); // the second to come, and the first
}

TEST_CASE("GPUs that processes give one number are not taken for each other") {
  using runtime::GpuPlace;
  const auto numbers = [](const std::vector<GpuPlace> &places) {
    std::vector<int> gpus;
    const runtime::Status status = runtime::numberGpus(places, gpus);
    return status.ok() ? textOf(joined(gpus)) : status.text;
  };
  // Each process sees one GPU, as with CUDA_VISIBLE_DEVICES.
  CHECK(numbers({{"0000:1b:00.0", 3, 0}, {"0000:0a:00.0", 1, 0}}) == "3,1");
  CHECK(contains(numbers({{"0000:1b:00.0", 3, 0}, {"0000:0a:00.0", -1, 0}}),
                 "the GPUs of rank 0 and rank 1, at 0000:1b:00.0 and "
                 "0000:0a:00.0, are both number 0"));
  CHECK(numbers({{"0000:1b:00.0", -1, 1}, {"0000:0a:00.0", -1, 0}}) == "1,0");
  CHECK(numbers({{"0000:1b:00.0", 3, 0}, {"0000:1b:00.0", 3, 0}}) == "0,1");
}

TEST_CASE("a bundle serves ranks that join by an id, as it is") {
  emulatedMachine = {};
  BundleOptions options;
  options.numGpus = 8;
  options.collectives = {Collective::allreduce};
  options.allocations = {{1, 3, 6}};
  options.layout.shape = Shape::chain;
  FakeSysfs sysfs;
  for (int bus = 1; bus <= 8; ++bus)
    sysfs.addGpu(textOf("0000:0", bus, ":00.0").c_str());
  const Opened opened(seal(makeBundle(options)));
  const int devices[] = {6, 1, 3};
  std::vector<blinkComm_t> comms(3);
  const blinkUniqueId id = makeId();
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.backend = blinkBackendCuda;
  blinkGroupStart();
  for (int rank = 0; rank < 3; ++rank)
    blinkCommInitRank(&comms[size_t(rank)], 3, id, rank, devices[rank],
                      opened.schedule, &config);
  const blinkResult_t result = blinkGroupEnd();
  CAPTURE(blinkGetLastError(nullptr));
  REQUIRE(result == blinkSuccess);
  const Job job(comms, OldRanks({6, 1, 3}));
  Case c;
  c.count = 1000;
  CHECK(runCase(job, c) == "");
}

TEST_CASE("a bundle serves processes that are told no GPUs") {
  if (kSanitized)
    return; // docs/rationale.md, R102
  BundleOptions options;
  options.numGpus = 2;
  for (Collective collective : collectives())
    options.collectives.push_back(collective);
  options.allocations = {{0, 1}};
  options.layout.shape = Shape::chain;
  ScheduleOnDisk file(seal(makeBundle(options)));
  for (const Outcome &outcome :
       runWorkers(file.path(), 2, upTo(2), 20000, "cases:found", makeId())) {
    CAPTURE(outcome.line);
    CHECK(outcome.good());
  }
}
