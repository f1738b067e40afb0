/*===- Bench.h - how a collective is timed and checked ------------*- C -*-===*\
|*
|* Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
|*
|* What the programs of tools/bench-host share, so that all measure the same:
|* sizes, calls per measurement, data, the check of every element, the clock,
|* and the line with the result. C and C++.
|*
\*===----------------------------------------------------------------------===*/

#ifndef BLINK_TOOLS_BENCH_HOST_BENCH_H
#define BLINK_TOOLS_BENCH_HOST_BENCH_H

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { benchMaxRanks = 64, benchSizes = 4 };

/* Bytes of a collective, and how often a measurement calls it: at most `calls`
   times, but only until it takes benchSeconds or a little more. */
static const double benchSeconds = 0.5;
static const struct {
  size_t bytes;
  int calls;
} benchTable[benchSizes] = {
    {1 << 10, 1000}, {64 << 10, 400}, {1 << 20, 60}, {64 << 20, 5}};

typedef enum {
  benchAllReduce,
  benchBroadcast, /* root 0, in place */
  benchAllGather
} BenchCollective;

static const char *const benchNames[] = {"allreduce", "broadcast", "allgather"};

/* What the threads or processes of a job share without MPI. */
typedef struct BenchShared {
  pthread_barrier_t barrier;
  double numbers[benchMaxRanks];
  char bytes[256]; /* for rank 0 to send something to the others */
} BenchShared;

/* The arguments of a program without MPI: VARIANT RANKS COLLECTIVE PLACE
   MOST_BYTES. */
typedef struct BenchCall {
  const char *name;    /* of the program */
  const char *variant; /* of the program */
  int ranks;
  BenchCollective collective;
  const char *place; /* a file, or a folder */
  size_t most;
  BenchShared *shared;
} BenchCall;

/* A collective of float32 as one rank sees it, or as all ranks see it if one
   thread drives them all. */
typedef struct BenchJob {
  const char *program; /* first words of the line with the result */
  BenchCollective collective;
  int ranks;
  int first;  /* the first rank this thread drives */
  int driven; /* and how many */

  void *self; /* for the functions below */
  /* Calls the collective on all driven ranks. Returns 0 on success. */
  int (*call)(struct BenchJob *job);
  /* Returns when all ranks have called it. */
  void (*barrier)(struct BenchJob *job);
  /* Returns the largest of the ranks' numbers, on all of them. */
  double (*largest)(struct BenchJob *job, double mine);
  BenchShared *shared; /* for benchMeet and benchMost */
  /* Allocates and frees the kind of memory that is best for the program, on all
     ranks at the same time. If allocate is NULL, the C library does. */
  void *(*allocate)(struct BenchJob *job, size_t bytes);
  void (*release)(struct BenchJob *job, void *memory);

  /* Set by benchRun: `count` elements in the buffer of an allreduce or
     broadcast, and in the result of an allgather, to which each rank
     contributes `part`. */
  size_t count, part;
  float *send[benchMaxRanks], *recv[benchMaxRanks];
} BenchJob;

static inline int benchFind(const char *name, BenchCollective *collective) {
  for (int i = 0; i < 3; ++i)
    if (strcmp(name, benchNames[i]) == 0) {
      *collective = (BenchCollective)i;
      return 0;
    }
  fprintf(stderr, "%s: no such collective\n", name);
  return 1;
}

/* Returns element i of a rank's contribution: a small whole number that depends
   on the rank and on i. Sums of these are exact in any order. */
static inline float benchValue(int rank, size_t i) {
  return (float)((i * 7 + (i >> 8) * 3 + (size_t)rank * 13) % 101);
}

static inline void benchFill(BenchJob *job) {
  for (int r = 0; r < job->driven; ++r) {
    int rank = job->first + r;
    size_t given = job->collective == benchAllGather ? job->part : job->count;
    if (job->collective == benchBroadcast && rank != 0)
      given = 0;
    for (size_t i = 0; i < job->count; ++i)
      job->recv[r][i] = -1;
    for (size_t i = 0; i < given; ++i)
      job->send[r][i] = benchValue(rank, i);
  }
}

/* Returns 0 if every element of every driven rank's result is right. */
static inline int benchCheck(const BenchJob *job) {
  for (int r = 0; r < job->driven; ++r)
    for (size_t i = 0; i < job->count; ++i) {
      float right = 0;
      if (job->collective == benchAllReduce)
        for (int from = 0; from < job->ranks; ++from)
          right += benchValue(from, i);
      else if (job->collective == benchBroadcast)
        right = benchValue(0, i);
      else
        right = benchValue((int)(i / job->part), i % job->part);
      if (job->recv[r][i] != right) {
        fprintf(stderr,
                "%s, %s of %d ranks, %zu bytes: rank %d, element %zu is %g, "
                "not %g\n",
                job->program, benchNames[job->collective], job->ranks,
                job->count * sizeof(float), job->first + r, i,
                (double)job->recv[r][i], (double)right);
        return 1;
      }
    }
  return 0;
}

static inline double benchNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline float *benchAllocate(BenchJob *job, size_t count) {
  void *memory = NULL;
  if (job->allocate)
    return (float *)job->allocate(job, count * sizeof(float));
  return posix_memalign(&memory, 64, count * sizeof(float)) ? NULL
                                                            : (float *)memory;
}

static inline void benchFree(BenchJob *job, void *memory) {
  if (job->allocate)
    job->release(job, memory);
  else
    free(memory);
}

/* Returns the seconds between two barriers with `calls` calls in between, on
   the rank for which it was longest. Negative if a call fails. */
static inline double benchTime(BenchJob *job, int calls) {
  job->barrier(job);
  double start = benchNow();
  for (int i = 0; i < calls; ++i)
    if (job->call(job))
      return -1;
  job->barrier(job);
  return job->largest(job, benchNow() - start);
}

/* Checks one call, makes a few to find out how long they take, times as many as
   fit, and prints the result on rank 0. Returns nonzero if a call or its result
   is wrong; the other ranks then wait forever and have to be ended. */
static inline int benchMeasure(BenchJob *job, size_t bytes, int mostCalls) {
  benchFill(job);
  job->barrier(job);
  if (job->call(job) || benchCheck(job))
    return 1;

  int calls = mostCalls / 50 + 1;
  double seconds = benchTime(job, calls);
  if (seconds < 0)
    return 1;
  if (seconds * mostCalls <= benchSeconds * calls)
    calls = mostCalls;
  else
    calls = 2 + (int)(benchSeconds * calls / seconds);
  seconds = benchTime(job, calls);
  if (seconds < 0)
    return 1;
  if (job->first == 0) {
    printf("result %s %d %s %zu %d %.9f\n", job->program, job->ranks,
           benchNames[job->collective], bytes, calls, seconds / calls);
    fflush(stdout);
  }
  return 0;
}

/* Measures all sizes up to `most` bytes. */
static inline int benchRun(BenchJob *job, size_t most) {
  for (int size = 0; size < benchSizes && benchTable[size].bytes <= most;
       ++size) {
    job->part = benchTable[size].bytes / sizeof(float) / (size_t)job->ranks;
    job->count = job->collective == benchAllGather
                     ? job->part * (size_t)job->ranks
                     : benchTable[size].bytes / sizeof(float);
    for (int r = 0; r < job->driven; ++r) {
      job->recv[r] = benchAllocate(job, job->count);
      job->send[r] = job->collective == benchBroadcast ? job->recv[r]
                     : job->collective == benchAllGather
                         ? benchAllocate(job, job->part)
                         : benchAllocate(job, job->count);
      if (!job->recv[r] || !job->send[r]) {
        fprintf(stderr, "%s: no memory\n", job->program);
        return 1;
      }
    }
    if (benchMeasure(job, benchTable[size].bytes, benchTable[size].calls))
      return 1;
    for (int r = 0; r < job->driven; ++r) {
      if (job->send[r] != job->recv[r])
        benchFree(job, job->send[r]);
      benchFree(job, job->recv[r]);
    }
  }
  return 0;
}

/* Allocates a job's shared memory. Returns NULL if there is none. */
static inline BenchShared *benchShare(int ranks) {
  void *memory = mmap(NULL, sizeof(BenchShared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  BenchShared *shared = (BenchShared *)memory;
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, (unsigned)ranks);
  return shared;
}

/* Reads a program's arguments; `variants` end with NULL, and `usage` names them
   and the place. Returns 0, or an exit code if the arguments are wrong. */
static inline int benchRead(int argc, char **argv, const char *name,
                            const char *const *variants, const char *usage,
                            BenchCall *call) {
  int known = 0;
  for (; argc == 6 && *variants; ++variants)
    known |= strcmp(argv[1], *variants) == 0;
  call->ranks = argc == 6 ? atoi(argv[2]) : 0;
  if (!known || call->ranks < 2 || call->ranks > benchMaxRanks ||
      benchFind(argv[3], &call->collective)) {
    fprintf(stderr, "usage: %s %s MOST_BYTES\n", argv[0], usage);
    return 2;
  }
  call->name = name;
  call->variant = argv[1];
  call->place = argv[4];
  call->most = strtoull(argv[5], NULL, 10);
  call->shared = benchShare(call->ranks);
  if (!call->shared) {
    fprintf(stderr, "%s: no memory\n", name);
    return 1;
  }
  return 0;
}

/* BenchJob::barrier by shared memory. A thread that drives all ranks does not
   wait. */
static inline void benchMeet(BenchJob *job) {
  if (job->driven < job->ranks)
    pthread_barrier_wait(&job->shared->barrier);
}

/* BenchJob::largest by shared memory. */
static inline double benchMost(BenchJob *job, double mine) {
  if (job->driven == job->ranks)
    return mine;
  job->shared->numbers[job->first] = mine;
  benchMeet(job);
  for (int r = 0; r < job->ranks; ++r)
    if (job->shared->numbers[r] > mine)
      mine = job->shared->numbers[r];
  benchMeet(job);
  return mine;
}

/* Runs the measurements of `call` with `driven` ranks from `first` on; `job`
   has the program's own functions. */
static inline int benchDrive(const BenchCall *call, BenchJob *job, int first,
                             int driven) {
  char program[64];
  snprintf(program, sizeof program, "%s %s", call->name, call->variant);
  job->program = program;
  job->collective = call->collective;
  job->ranks = call->ranks;
  job->first = first;
  job->driven = driven;
  job->barrier = benchMeet;
  job->largest = benchMost;
  job->shared = call->shared;
  return benchRun(job, call->most);
}

/* Runs body(rank, call) in a process for each rank. Returns 0 if all return 0;
   if one does not, the other processes are ended. */
static inline int benchFork(const BenchCall *call,
                            int (*body)(int rank, const BenchCall *call)) {
  pid_t children[benchMaxRanks];
  pid_t parent = getpid();
  int failed = 0;
  int started = 0;
  for (; started < call->ranks && !failed; ++started) {
    children[started] = fork();
    if (children[started] == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      _exit(getppid() == parent ? body(started, call) : 1);
    }
    failed = children[started] < 0;
  }
  for (int left = started; left > 0; --left) {
    if (failed)
      for (int r = 0; r < started; ++r)
        if (children[r] > 0)
          kill(children[r], SIGKILL);
    int status = 0;
    pid_t child = wait(&status);
    for (int r = 0; r < started; ++r)
      if (children[r] == child)
        children[r] = 0;
    failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  return failed;
}

#endif /* BLINK_TOOLS_BENCH_HOST_BENCH_H */
