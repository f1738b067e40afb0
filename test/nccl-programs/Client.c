/*===- Client.c - a client of NCCL's, in C --------------------------------===*\
 *
 * Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
 *
 * The exit code is 1 if anything was not as NCCL's manual says.
 *
\*===----------------------------------------------------------------------===*/

#include "test/nccl-programs/Client.h"

#include <stdio.h>
#include <stdlib.h>

int numWrong, numChecked;
struct Part parts[kRanks];

bool check(bool right, const char *what, const char *file, int line) {
  ++numChecked;
  if (right)
    return true;
  ++numWrong;
  fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", file, line, what,
          ncclGetLastError(NULL));
  return false;
}

_Noreturn void stop(void) {
  fprintf(stderr, "the client ends here\n");
  exit(1);
}

void makeParts(void) {
  for (int r = 0; r < kRanks; ++r) {
    struct Part *part = &parts[r];
    REQUIRE(cudaSetDevice(r) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&part->stream, cudaStreamNonBlocking) ==
            cudaSuccess);
    REQUIRE(cudaMalloc((void **)&part->send, kElements * sizeof(int)) ==
            cudaSuccess);
    REQUIRE(cudaMalloc((void **)&part->recv, kElements * sizeof(int)) ==
            cudaSuccess);
  }
}

void dropParts(void) {
  for (int r = 0; r < kRanks; ++r) {
    CHECK(cudaSetDevice(r) == cudaSuccess);
    CHECK(cudaFree(parts[r].send) == cudaSuccess);
    CHECK(cudaFree(parts[r].recv) == cudaSuccess);
    CHECK(cudaStreamDestroy(parts[r].stream) == cudaSuccess);
  }
}

void fillParts(void) {
  for (int r = 0; r < kRanks; ++r) {
    int values[kElements];
    for (int i = 0; i < kElements; ++i)
      values[i] = r * 1000 + i;
    REQUIRE(cudaSetDevice(r) == cudaSuccess);
    REQUIRE(cudaMemcpy(parts[r].send, values, sizeof(values),
                       cudaMemcpyHostToDevice) == cudaSuccess);
    REQUIRE(cudaMemset(parts[r].recv, 0xff, sizeof(values)) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
}

void readPart(int rank, const int *buffer, int into[kElements]) {
  REQUIRE(cudaSetDevice(rank) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(parts[rank].stream) == cudaSuccess);
  REQUIRE(cudaMemcpy(into, buffer, kElements * sizeof(int),
                     cudaMemcpyDeviceToHost) == cudaSuccess);
}

bool sums(const ncclComm_t *comms, int ranks, const int *devices) {
  fillParts();
  bool right = ncclGroupStart() == ncclSuccess;
  int bases = 0;
  for (int r = 0; r < ranks; ++r) {
    const int device = devices ? devices[r] : r;
    bases += device * 1000;
    right = right && ncclAllReduce(parts[device].send, parts[device].recv,
                                   kElements, ncclInt, ncclSum, comms[r],
                                   parts[device].stream) == ncclSuccess;
  }
  right = ncclGroupEnd() == ncclSuccess && right;
  for (int r = 0; right && r < ranks; ++r) {
    int values[kElements];
    readPart(devices ? devices[r] : r, parts[devices ? devices[r] : r].recv,
             values);
    for (int i = 0; i < kElements; ++i)
      right = right && values[i] == bases + ranks * i;
  }
  return right;
}

void makeComms(ncclComm_t *comms) {
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  REQUIRE(ncclGroupStart() == ncclSuccess);
  for (int r = 0; r < kRanks; ++r) {
    REQUIRE(cudaSetDevice(r) == cudaSuccess);
    REQUIRE(ncclCommInitRank(&comms[r], kRanks, id, r) == ncclSuccess);
  }
  REQUIRE(ncclGroupEnd() == ncclSuccess);
}

void destroyComms(ncclComm_t *comms, int ranks) {
  for (int r = 0; r < ranks; ++r)
    CHECK(ncclCommDestroy(comms[r]) == ncclSuccess);
}

int main(void) {
  makeParts();
  testInit();
  testCalls();
  testErrors();
  dropParts();
  printf("%d checks, %d wrong\n", numChecked, numWrong);
  return numWrong != 0 || numChecked < 100;
}
