/*===- ClientCalls.c - every function that moves data ---------------------===*\
 *
 * Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
 *
\*===----------------------------------------------------------------------===*/

#include "test/nccl-programs/Client.h"

#include <stddef.h>

enum { kPart = kElements / kRanks };

static ncclComm_t comms[kRanks];

/* Makes one call of all ranks in a group; `r` is the rank. */
#define ALL_RANKS(call)                                                        \
  do {                                                                         \
    fillParts();                                                               \
    CHECK(ncclGroupStart() == ncclSuccess);                                    \
    for (int r = 0; r < kRanks; ++r) {                                         \
      int *const send = parts[r].send, *const recv = parts[r].recv;            \
      const cudaStream_t stream = parts[r].stream;                             \
      CHECK((call) == ncclSuccess);                                            \
      (void)send, (void)recv, (void)stream;                                    \
    }                                                                          \
    CHECK(ncclGroupEnd() == ncclSuccess);                                      \
  } while (0)
/* Checks that element i < count of rank r's buffer is `value`. */
#define EXPECT(buffer, rank, count, value)                                     \
  do {                                                                         \
    int got[kElements], wrong = 0;                                             \
    const int r = (rank);                                                      \
    readPart(r, parts[r].buffer, got);                                         \
    for (int i = 0; i < (count); ++i)                                          \
      wrong += got[i] != (value);                                              \
    CHECK(wrong == 0);                                                         \
    (void)r;                                                                   \
  } while (0)
#define EXPECT_ALL(buffer, count, value)                                       \
  for (int each = 0; each < kRanks; ++each)                                    \
  EXPECT(buffer, each, count, value)

static void testCollectives(void) {
  ALL_RANKS(
      ncclReduce(send, recv, kElements, ncclInt, ncclMax, 2, comms[r], stream));
  EXPECT(recv, 2, kElements, 3000 + i);
  EXPECT(recv, 1, kElements, -1);
  ALL_RANKS(ncclBroadcast(send, recv, kElements, ncclInt, 1, comms[r], stream));
  EXPECT_ALL(recv, kElements, 1000 + i);
  ALL_RANKS(ncclBcast(send, kElements, ncclInt, 3, comms[r], stream));
  EXPECT_ALL(send, kElements, 3000 + i);
  ALL_RANKS(ncclAllGather(send, recv, kPart, ncclInt, comms[r], stream));
  EXPECT_ALL(recv, kElements, i / kPart * 1000 + i % kPart);
  ALL_RANKS(
      ncclReduceScatter(send, recv, kPart, ncclInt, ncclMin, comms[r], stream));
  EXPECT_ALL(recv, kPart, r * kPart + i);
  ALL_RANKS(ncclAlltoAll(send, recv, kPart, ncclInt, comms[r], stream));
  EXPECT_ALL(recv, kElements, i / kPart * 1000 + r * kPart + i % kPart);
  ALL_RANKS(ncclGather(send, recv, kPart, ncclInt, 3, comms[r], stream));
  EXPECT(recv, 3, kElements, i / kPart * 1000 + i % kPart);
  ALL_RANKS(ncclScatter(send, recv, kPart, ncclInt, 0, comms[r], stream));
  EXPECT_ALL(recv, kPart, r * kPart + i);
  /* In place, and with no elements. */
  ALL_RANKS(
      ncclAllReduce(send, send, kElements, ncclInt, ncclSum, comms[r], stream));
  EXPECT_ALL(send, kElements, 6000 + 4 * i);
  ALL_RANKS(ncclAllReduce(NULL, NULL, 0, ncclInt, ncclSum, comms[r], stream));
  EXPECT_ALL(send, kElements, r * 1000 + i);
}

static void testMessages(void) {
  ALL_RANKS(r == 0   ? ncclSend(send, 5, ncclInt, 3, comms[r], stream)
            : r == 3 ? ncclRecv(recv, 5, ncclInt, 0, comms[r], stream)
                     : ncclSuccess);
  EXPECT(recv, 3, kElements, i < 5 ? i : -1);
  /* To each rank, itself included, as many as its number. */
  fillParts();
  CHECK(ncclGroupStart() == ncclSuccess);
  for (int from = 0; from < kRanks; ++from)
    for (int to = 0; to < kRanks; ++to) {
      CHECK(ncclSend(parts[from].send, (size_t)to, ncclInt, to, comms[from],
                     parts[from].stream) == ncclSuccess);
      CHECK(ncclRecv(parts[to].recv + from * kPart, (size_t)to, ncclInt, from,
                     comms[to], parts[to].stream) == ncclSuccess);
    }
  CHECK(ncclGroupEnd() == ncclSuccess);
  EXPECT_ALL(recv, kElements,
             i % kPart < r ? i / kPart * 1000 + i % kPart : -1);
}

static void testOperators(void) {
  ncclRedOp_t ops[kRanks];
  for (int r = 0; r < kRanks; ++r) {
    int scalar = r + 1;
    CHECK(ncclRedOpCreatePreMulSum(&ops[r], &scalar, ncclInt,
                                   ncclScalarHostImmediate,
                                   comms[r]) == ncclSuccess);
    CHECK(ops[r] >= ncclNumOps);
    scalar = 99; /* it was read */
  }
  ALL_RANKS(
      ncclAllReduce(send, recv, kElements, ncclInt, ops[r], comms[r], stream));
  EXPECT_ALL(recv, kElements, 20000 + 10 * i); /* 0*1 + 1*2 + 2*3 + 3*4 */
  for (int r = 0; r < kRanks; ++r)
    CHECK(ncclRedOpDestroy(ops[r], comms[r]) == ncclSuccess);
}

static void testMemory(void) {
  void *handles[kRanks];
  ncclWindow_t windows[kRanks];
  int *buffers[kRanks];
  for (int r = 0; r < kRanks; ++r) {
    REQUIRE(cudaSetDevice(r) == cudaSuccess);
    CHECK(ncclMemAlloc((void **)&buffers[r], 1 << 20) == ncclSuccess);
    CHECK(ncclCommRegister(comms[r], buffers[r], 1 << 20, &handles[r]) ==
          ncclSuccess);
    /* Registering is local: one rank does more of it than the others. */
    if (r == 2)
      CHECK(ncclCommWindowRegister(comms[r], parts[r].recv,
                                   kElements * sizeof(int), &windows[r],
                                   NCCL_WIN_DEFAULT) == ncclSuccess);
  }
  ALL_RANKS(ncclAllReduce(send, buffers[r], kElements, ncclInt, ncclSum,
                          comms[r], stream));
  ALL_RANKS(ncclAllGather(buffers[r] + r * kPart, recv, kPart, ncclInt,
                          comms[r], stream));
  EXPECT_ALL(recv, kElements, 6000 + 4 * i);
  CHECK(ncclCommWindowDeregister(comms[2], windows[2]) == ncclSuccess);
  for (int r = 0; r < kRanks; ++r) {
    CHECK(ncclCommDeregister(comms[r], handles[r]) == ncclSuccess);
    CHECK(ncclMemFree(buffers[r]) == ncclSuccess);
  }
}

void testCalls(void) {
  makeComms(comms);
  testCollectives();
  testMessages();
  testOperators();
  testMemory();
  destroyComms(comms, kRanks);
}
