/*===- ClientErrors.c - what a program does wrong -------------------------===*\
 *
 * Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
 *
 * Each is an error with a sentence; nothing hangs, and communicators go on
 * working after it.
 *
\*===----------------------------------------------------------------------===*/

#include "test/nccl-programs/Client.h"

#include <stddef.h>
#include <string.h>

static bool hasSentence(void) {
  const char *words = ncclGetLastError(NULL);
  return words && strlen(words) > 8;
}
#define REFUSED(result, call)                                                  \
  do {                                                                         \
    CHECK((call) == (result));                                                 \
    CHECK(hasSentence());                                                      \
  } while (0)

static void testInits(void) {
  ncclUniqueId id;
  ncclComm_t comm = (ncclComm_t)&comm;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  REFUSED(ncclInvalidArgument, ncclCommInitRank(&comm, 4, id, 4));
  CHECK(comm == NULL);
  REFUSED(ncclInvalidArgument, ncclCommInitRank(&comm, 4, id, -1));
  REFUSED(ncclInvalidArgument, ncclCommInitRank(&comm, 0, id, 0));
  REFUSED(ncclInvalidArgument, ncclCommInitRank(NULL, 4, id, 0));
  REFUSED(ncclInvalidArgument, ncclGetUniqueId(NULL));
  REFUSED(ncclInvalidArgument, ncclGetVersion(NULL));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.magic = 0x12345678;
  REFUSED(ncclInvalidArgument,
          ncclCommInitRankConfig(&comm, 4, id, 0, &config));
  config.magic = NCCL_CONFIG_MAGIC;
  config.blocking = 2;
  REFUSED(ncclInvalidArgument,
          ncclCommInitRankConfig(&comm, 4, id, 0, &config));
  const int devices[] = {0, 99};
  ncclComm_t both[2];
  CHECK(ncclCommInitAll(both, 2, devices) != ncclSuccess);
  CHECK(hasSentence());
  REFUSED(ncclInvalidUsage, ncclGroupEnd());
}

static void testArguments(ncclComm_t *comms) {
  const struct Part *own = &parts[0];
  const ncclComm_t comm = comms[0];
  REFUSED(ncclInvalidArgument, ncclAllReduce(own->send, own->recv, 1, ncclInt,
                                             ncclSum, NULL, own->stream));
  REFUSED(ncclInvalidArgument, ncclAllReduce(NULL, own->recv, 1, ncclInt,
                                             ncclSum, comm, own->stream));
  REFUSED(ncclInvalidArgument,
          ncclAllReduce(own->send, own->recv, 1, ncclNumTypes, ncclSum, comm,
                        own->stream));
  REFUSED(ncclInvalidArgument,
          ncclAllReduce(own->send, own->recv, 1, ncclInt, (ncclRedOp_t)-1, comm,
                        own->stream));
  REFUSED(ncclInvalidArgument, ncclAllReduce(own->send, own->recv, 1, ncclInt,
                                             ncclNumOps, comm, own->stream));
  REFUSED(ncclInvalidArgument, ncclBroadcast(own->send, own->recv, 1, ncclInt,
                                             kRanks, comm, own->stream));
  REFUSED(ncclInvalidArgument, ncclReduce(own->send, own->recv, 1, ncclInt,
                                          ncclSum, -1, comm, own->stream));
  REFUSED(ncclInvalidArgument,
          ncclSend(own->send, 1, ncclInt, kRanks, comm, own->stream));
  REFUSED(ncclInvalidArgument, ncclRedOpDestroy(ncclSum, comm));
  REFUSED(ncclInvalidArgument, ncclCommCount(comm, NULL));
  REFUSED(ncclInvalidArgument, ncclCommCount(NULL, &numChecked));
  int other = 0;
  REFUSED(ncclInvalidArgument, ncclCommDeregister(comm, &other));
  /* None of these errors has harmed the communicators. */
  CHECK(sums(comms, kRanks, NULL));
}

static void testStrings(void) {
  for (int result = ncclSuccess; result < ncclNumResults; ++result) {
    const char *words = ncclGetErrorString((ncclResult_t)result);
    CHECK(words && strlen(words) > 3);
    for (int other = ncclSuccess; other < result; ++other)
      CHECK(strcmp(words, ncclGetErrorString((ncclResult_t)other)) != 0);
  }
  CHECK(ncclGetErrorString((ncclResult_t)1234) != NULL);
}

/* One rank never calls. An abort ends the work in the others' streams. */
static void testAbort(void) {
  ncclComm_t comms[kRanks];
  makeComms(comms);
  for (int r = 1; r < kRanks; ++r)
    CHECK(ncclAllReduce(parts[r].send, parts[r].recv, kElements, ncclInt,
                        ncclSum, comms[r], parts[r].stream) == ncclSuccess);
  CHECK(cudaStreamQuery(parts[1].stream) == cudaErrorNotReady);
  for (int r = 0; r < kRanks; ++r)
    CHECK(ncclCommAbort(comms[r]) == ncclSuccess);
  for (int r = 0; r < kRanks; ++r)
    CHECK(cudaStreamSynchronize(parts[r].stream) == cudaSuccess);
}

void testErrors(void) {
  testInits();
  ncclComm_t comms[kRanks];
  makeComms(comms);
  testArguments(comms);
  destroyComms(comms, kRanks);
  testStrings();
  testAbort();
  CHECK(ncclCommDestroy(NULL) == ncclSuccess);
}
