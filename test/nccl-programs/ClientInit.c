/*===- ClientInit.c - communicators, made in all ways ---------------------===*\
 *
 * Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
 *
\*===----------------------------------------------------------------------===*/

#include "test/nccl-programs/Client.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

static void testAll(void) {
  ncclComm_t comms[kRanks] = {NULL};
  REQUIRE(ncclCommInitAll(comms, kRanks, NULL) == ncclSuccess);
  CHECK(sums(comms, kRanks, NULL));
  for (int r = 0; r < kRanks; ++r) {
    int count = 0, device = -1, rank = -1;
    CHECK(ncclCommCount(comms[r], &count) == ncclSuccess && count == kRanks);
    CHECK(ncclCommCuDevice(comms[r], &device) == ncclSuccess && device == r);
    CHECK(ncclCommUserRank(comms[r], &rank) == ncclSuccess && rank == r);
  }
  destroyComms(comms, kRanks);

  const int devices[] = {3, 1};
  REQUIRE(ncclCommInitAll(comms, 2, devices) == ncclSuccess);
  CHECK(sums(comms, 2, devices));
  int device = -1;
  CHECK(ncclCommCuDevice(comms[0], &device) == ncclSuccess && device == 3);
  destroyComms(comms, 2);
}

static void testGroup(void) {
  ncclComm_t comms[kRanks];
  makeComms(comms);
  CHECK(sums(comms, kRanks, NULL));
  CHECK(sums(comms, kRanks, NULL));
  for (int r = 0; r < kRanks; ++r)
    CHECK(ncclCommFinalize(comms[r]) == ncclSuccess);
  destroyComms(comms, kRanks);
}

struct Thread {
  int rank;
  ncclUniqueId *ids;
  ncclComm_t comm;
  ncclResult_t result;
};
static void *initOnThread(void *argument) {
  struct Thread *self = argument;
  cudaSetDevice(self->rank);
  self->result = ncclCommInitRankScalable(&self->comm, kRanks, self->rank, 2,
                                          self->ids, NULL);
  return NULL;
}

static void testThreads(void) {
  ncclUniqueId ids[2];
  REQUIRE(ncclGetUniqueId(&ids[0]) == ncclSuccess);
  REQUIRE(ncclGetUniqueId(&ids[1]) == ncclSuccess);
  CHECK(memcmp(&ids[0], &ids[1], sizeof(ids[0])) != 0);
  struct Thread ranks[kRanks];
  pthread_t threads[kRanks];
  for (int r = 0; r < kRanks; ++r) {
    ranks[r] = (struct Thread){r, ids, NULL, ncclInternalError};
    REQUIRE(pthread_create(&threads[r], NULL, initOnThread, &ranks[r]) == 0);
  }
  ncclComm_t comms[kRanks];
  for (int r = 0; r < kRanks; ++r) {
    pthread_join(threads[r], NULL);
    REQUIRE(ranks[r].result == ncclSuccess);
    comms[r] = ranks[r].comm;
  }
  CHECK(sums(comms, kRanks, NULL));
  destroyComms(comms, kRanks);
}

/* A configuration of a program built against a header with fewer or more
   fields: only the fields within its size count. */
static void testConfigSizes(void) {
  struct {
    ncclConfig_t known;
    int later[24];
  } longer = {NCCL_CONFIG_INITIALIZER, {0}};
  for (int i = 0; i < 24; ++i)
    longer.later[i] = NCCL_CONFIG_UNDEF_INT;
  longer.known.size = sizeof(longer);
  const size_t sizes[] = {offsetof(ncclConfig_t, blocking),
                          offsetof(ncclConfig_t, cgaClusterSize),
                          sizeof(ncclConfig_t), sizeof(longer)};
  for (int s = 0; s < 4; ++s) {
    ncclUniqueId id;
    ncclComm_t comms[kRanks];
    REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
    REQUIRE(ncclGroupStart() == ncclSuccess);
    for (int r = 0; r < kRanks; ++r) {
      longer.known.size = sizes[s];
      /* Fields that must not be read have values that would be refused. */
      longer.known.blocking = s == 0 ? 77 : 1;
      longer.known.minCTAs = s == 1 ? -5 : NCCL_CONFIG_UNDEF_INT;
      longer.known.commName = s == 2 ? "client" : NULL;
      REQUIRE(cudaSetDevice(r) == cudaSuccess);
      CHECK(ncclCommInitRankConfig(&comms[r], kRanks, id, r, &longer.known) ==
            ncclSuccess);
    }
    REQUIRE(ncclGroupEnd() == ncclSuccess);
    CHECK(sums(comms, kRanks, NULL));
    destroyComms(comms, kRanks);
  }
}

static void testNonBlocking(void) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclUniqueId id;
  ncclComm_t comms[kRanks] = {NULL};
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  for (int r = 0; r < kRanks; ++r) {
    REQUIRE(cudaSetDevice(r) == cudaSuccess);
    /* Returns although this rank is alone. */
    const ncclResult_t result =
        ncclCommInitRankConfig(&comms[r], kRanks, id, r, &config);
    REQUIRE(result == ncclInProgress || result == ncclSuccess);
    REQUIRE(comms[r] != NULL);
  }
  for (int r = 0; r < kRanks; ++r) {
    ncclResult_t state = ncclInProgress, asked = ncclSuccess;
    /* The library's time limit ends this loop. */
    while (state == ncclInProgress && asked == ncclSuccess) {
      sched_yield();
      asked = ncclCommGetAsyncError(comms[r], &state);
    }
    REQUIRE(asked == ncclSuccess && state == ncclSuccess);
  }
  CHECK(sums(comms, kRanks, NULL));
  destroyComms(comms, kRanks);
}

static void testChildren(void) {
  ncclComm_t comms[kRanks], halves[kRanks], some[kRanks];
  makeComms(comms);
  /* Ranks 0 and 1 in order, ranks 2 and 3 in reverse order. */
  REQUIRE(ncclGroupStart() == ncclSuccess);
  for (int r = 0; r < kRanks; ++r)
    CHECK(ncclCommSplit(comms[r], r / 2, r < 2 ? r : -r, &halves[r], NULL) ==
          ncclSuccess);
  REQUIRE(ncclGroupEnd() == ncclSuccess);
  const int expected[] = {0, 1, 1, 0};
  for (int r = 0; r < kRanks; ++r) {
    int rank = -1, count = 0;
    CHECK(ncclCommUserRank(halves[r], &rank) == ncclSuccess &&
          rank == expected[r]);
    CHECK(ncclCommCount(halves[r], &count) == ncclSuccess && count == 2);
  }
  CHECK(sums(halves, 2, NULL));
  const int devices[] = {3, 2};
  const ncclComm_t swapped[] = {halves[3], halves[2]};
  CHECK(sums(swapped, 2, devices));
  destroyComms(halves, kRanks);

  REQUIRE(ncclGroupStart() == ncclSuccess);
  for (int r = 0; r < kRanks; ++r)
    CHECK(ncclCommSplit(comms[r], r == 3 ? NCCL_SPLIT_NOCOLOR : 5, r, &some[r],
                        NULL) == ncclSuccess);
  REQUIRE(ncclGroupEnd() == ncclSuccess);
  CHECK(some[3] == NULL);
  CHECK(sums(some, 3, NULL));
  destroyComms(some, 3);

  int excluded[] = {1};
  REQUIRE(ncclGroupStart() == ncclSuccess);
  for (int r = 0; r < kRanks; ++r)
    if (r != 1)
      CHECK(ncclCommShrink(comms[r], excluded, 1, &some[r], NULL,
                           NCCL_SHRINK_ABORT) == ncclSuccess);
  REQUIRE(ncclGroupEnd() == ncclSuccess);
  const ncclComm_t left[] = {some[0], some[2], some[3]};
  const int leftDevices[] = {0, 2, 3};
  CHECK(sums(left, 3, leftDevices));
  for (int r = 0; r < 3; ++r)
    CHECK(ncclCommDestroy(left[r]) == ncclSuccess);
  for (int r = 0; r < kRanks; ++r)
    CHECK(ncclCommAbort(comms[r]) == ncclSuccess);
}

void testInit(void) {
  int version = 0;
  CHECK(ncclGetVersion(&version) == ncclSuccess && version >= 22700);
  testAll();
  testGroup();
  testThreads();
  testConfigSizes();
  testNonBlocking();
  testChildren();
}
