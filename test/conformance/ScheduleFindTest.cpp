//===- ScheduleFindTest.cpp - finding schedules by their place ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/ScheduleOnDisk.h"

#include "runtime/blink.h"

#include "doctest/doctest.h"

#include <filesystem>
#include <fstream>
#include <string>

using namespace blink;
using namespace blink::test;

namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed at the end.
struct Folder {
  Folder() {
    char name[] = "/tmp/blink-XXXXXX";
    REQUIRE(mkdtemp(name));
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder &) = delete;
  std::string add(const std::string &name, const std::vector<uint8_t> &bytes) {
    const std::string file = path + "/" + name;
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               std::streamsize(bytes.size()));
    return file;
  }
  std::string path;
};

struct MachineVariable {
  explicit MachineVariable(const char *value) {
    setenv("BLINK_MACHINE", value, /*overwrite=*/1);
  }
  ~MachineVariable() { unsetenv("BLINK_MACHINE"); }
};

/// Returns a schedule for a machine of `ranks` GPUs with links between any two.
std::vector<uint8_t> scheduleOf(int ranks, const char *machine) {
  BuildOptions layout;
  layout.chunkBytes = 512;
  TestSchedule model = makeSchedule(Collective::allreduce, 0, ranks, layout);
  model.topologyName = machine;
  model.fingerprint = uint64_t(ranks) << 40;
  return seal(model);
}

/// Returns the number of ranks of the schedule found, or 0; sets `why` to the
/// error text.
int find(const std::string &places, std::string &why) {
  blinkSchedule_t schedule = nullptr;
  const blinkResult_t result = blinkScheduleFind(places.c_str(), &schedule);
  why = blinkGetLastError(nullptr);
  int ranks = 0;
  if (result == blinkSuccess) {
    CHECK(blinkScheduleRanks(schedule, &ranks) == blinkSuccess);
    CHECK(blinkScheduleClose(schedule) == blinkSuccess);
  } else {
    CHECK(!schedule);
  }
  return ranks;
}

} // namespace

TEST_CASE("files and folders are searched in order") {
  Folder folder;
  folder.add("b.sched", scheduleOf(3, "one"));
  folder.add("a.sched", scheduleOf(3, "one"));
  folder.add("c.txt", {1, 2, 3}); // not a schedule, and ignored
  std::string why;
  CHECK(find(folder.path, why) == 3);
  CHECK(find(":" + folder.path + "/b.sched:", why) == 3);
  CHECK(find(folder.path + ":" + folder.path + "/a.sched", why) == 3);
  folder.add("d.sched", {1, 2, 3});
  CHECK(find(folder.path, why) == 0);
  CHECK(why.find(folder.path + "/d.sched: ") == 0);
}

TEST_CASE("of several machines one is named") {
  Folder folder;
  const std::string one = folder.add("a.sched", scheduleOf(3, "one"));
  const std::string two = folder.add("b.sched", scheduleOf(4, "two"));
  std::string why;
  CHECK(find(folder.path, why) == 0);
  CHECK(why.find(one + " is for one (0x") == 0);
  CHECK(why.find("BLINK_MACHINE") != std::string::npos);
  const std::string fingerprint = why.substr(why.find("two (") + 5, 18);
  {
    const MachineVariable name("two");
    CHECK(find(folder.path, why) == 4);
  }
  {
    const MachineVariable number(fingerprint.c_str());
    CHECK(find(folder.path, why) == 4);
  }
  const MachineVariable other("three");
  CHECK(find(folder.path, why) == 0);
  CHECK(why == "'" + folder.path +
                   "' has schedules for one, two, and none for "
                   "BLINK_MACHINE=three");
}

TEST_CASE("where there is nothing it says so") {
  Folder folder;
  std::string why;
  CHECK(find(folder.path, why) == 0);
  CHECK(why.find("has no schedules") != std::string::npos);
  CHECK(find(folder.path + "/none.sched", why) == 0);
  CHECK(why.find("cannot read it") != std::string::npos);
  unsetenv("BLINK_SCHEDULES");
  blinkSchedule_t schedule;
  CHECK(blinkScheduleFind(nullptr, &schedule) == blinkInvalidUsage);
  CHECK(blinkScheduleFind("", nullptr) == blinkInvalidArgument);
}
