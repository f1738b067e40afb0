/*===- Client.h - a client of NCCL's, in C --------------------------------===*\
 *
 * Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
 *
 * In C11, as NCCL's header promises. Ranks are of one process, rank r on device
 * r, unless a case says otherwise.
 *
\*===----------------------------------------------------------------------===*/

#ifndef BLINK_TEST_NCCLPROGRAMS_CLIENT_H
#define BLINK_TEST_NCCLPROGRAMS_CLIENT_H

/* The runtime's header has templates for C++; this one is for C. */
#include <cuda_runtime_api.h>

#include "test/nccl/nccl.h"

#include <stdbool.h>

enum { kRanks = 4, kElements = 1024 };

/* The number of failed checks so far, and of all checks. */
extern int numWrong, numChecked;

/* Counts a check and prints it if it fails; returns `right`. */
bool check(bool right, const char *what, const char *file, int line);
#define CHECK(condition) (void)check(condition, #condition, __FILE__, __LINE__)
/* Checks, and ends the client on failure: later checks would be useless. */
#define REQUIRE(condition)                                                     \
  do {                                                                         \
    if (!check(condition, #condition, __FILE__, __LINE__))                     \
      stop();                                                                  \
  } while (0)
_Noreturn void stop(void);

/* A rank's stream and buffers, of kElements int. */
struct Part {
  cudaStream_t stream;
  int *send, *recv;
};
extern struct Part parts[kRanks];
void makeParts(void);
void dropParts(void);

/* Sets send[i] = rank * 1000 + i and recv[i] = -1 on all ranks. */
void fillParts(void);
/* Waits for the rank's stream and reads a buffer. */
void readPart(int rank, const int *buffer, int into[kElements]);

/* Whether an allreduce of these communicators, rank r on device devices[r]
   (NULL: r), gives the sum. */
bool sums(const ncclComm_t *comms, int ranks, const int *devices);
void makeComms(ncclComm_t *comms);
void destroyComms(ncclComm_t *comms, int ranks);

/* The tests, one function per file. */
void testInit(void);
void testCalls(void);
void testErrors(void);

#endif /* BLINK_TEST_NCCLPROGRAMS_CLIENT_H */
