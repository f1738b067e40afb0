/*===- blink.h - Blink's runtime, C API ---------------------------*- C -*-===*\
|*
|* Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
|*
|* Replays schedules that `blinkc` compiled. Nothing is planned here: open a
|* .sched file, make communicators, call collectives. The shape is NCCL's, and
|* so are the numbers of results, types and operators.
|*
|*     blinkSchedule_t schedule;
|*     blinkComm_t comms[8];
|*     blinkScheduleOpen("allreduce.sched", &schedule);
|*     blinkCommInitAll(comms, 8, NULL, schedule, NULL);
|*     blinkGroupStart();
|*     for (int r = 0; r < 8; ++r)
|*       blinkAllReduce(send[r], recv[r], count, blinkFloat32, blinkSum,
|*                      comms[r], NULL);
|*     blinkGroupEnd();
|*
|* Every function returns a blinkResult_t; blinkGetLastError says in a sentence
|* what went wrong. Nothing here prints, exits or aborts, except that with
|* BLINK_DEBUG=WARN, INFO or TRACE in the environment lines go to stderr.
|*
|* Threads. Unless it says otherwise a function may be called from any thread
|* at any time. Collectives on one communicator take turns, a group as a whole,
|* and so do messages of one rank to another; in which order those of several
|* threads come is the caller's to decide, as all ranks have to make the same
|* calls in the same order. A thread that waits in a message holds up no other
|* pair of ranks, and no collective; registering buffers waits for all of its
|* own rank's.
|* blinkCommAbort, blinkCommShrink, blinkCommGetAsyncError and
|* blinkGetLastError wait for no other call. When a communicator is freed no
|* thread may be about to use it; a call that is under way is no obstacle to
|* blinkCommAbort.
|*
|* Processes. After fork() the child may make schedules and communicators of its
|* own. Those of its parent are the parent's: calls are refused, and destroying
|* one does nothing, here and there.
|*
\*===----------------------------------------------------------------------===*/

#ifndef BLINK_RUNTIME_BLINK_H
#define BLINK_RUNTIME_BLINK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BLINK_API __attribute__((visibility("default")))
#else
#define BLINK_API
#endif

/* A wrong number from a C program is an error code, not undefined in C++. */
#ifdef __cplusplus
#define BLINK_INT : int
#else
#define BLINK_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header, as blinkGetVersion gives that of the library. */
#define BLINK_MAJOR 0
#define BLINK_MINOR 1
#define BLINK_PATCH 0
#define BLINK_VERSION (BLINK_MAJOR * 10000 + BLINK_MINOR * 100 + BLINK_PATCH)

/* One rank of a job. Made by blinkCommInitAll or blinkCommInitRank, freed by
   blinkCommDestroy or blinkCommAbort. */
typedef struct blinkComm *blinkComm_t;

/* By which the processes of a job find each other. A secret: whoever has it can
   join. Pass it on as its bytes, by a way that others cannot read. */
typedef struct {
  char internal[128];
} blinkUniqueId;
/* The last bytes are zero, and the caller's to say what it likes. */
#define BLINK_UNIQUE_ID_SPARE 24

/* The programs of one or several .sched files. Closing it is allowed as soon as
   the communicators are made: they keep what they need. */
typedef struct blinkSchedule *blinkSchedule_t;

/* The type of cudaStream_t, without CUDA's headers. The host back end runs no
   streams and ignores it; pass NULL. */
typedef struct CUstream_st *blinkStream_t;

typedef enum BLINK_INT {
  blinkSuccess = 0,
  blinkUnhandledCudaError = 1,
  blinkSystemError = 2,     /* files, memory, threads */
  blinkInternalError = 3,   /* a defect in Blink */
  blinkInvalidArgument = 4, /* one argument is wrong by itself */
  blinkInvalidUsage = 5,    /* arguments or ranks do not fit together */
  blinkRemoteError = 6,     /* another rank failed, is missing or gave up */
  blinkInProgress = 7       /* no error: see blinkCommInitRank */
} blinkResult_t;

typedef enum BLINK_INT {
  blinkInt8 = 0,
  blinkUint8 = 1,
  blinkInt32 = 2,
  blinkUint32 = 3,
  blinkInt64 = 4,
  blinkUint64 = 5,
  blinkFloat16 = 6,
  blinkFloat32 = 7,
  blinkFloat64 = 8,
  blinkBfloat16 = 9,
  blinkFloat8e4m3 = 10,
  blinkFloat8e5m2 = 11
} blinkDataType_t;

/* Integers wrap around. The floating-point types of 8 and 16 bits are added and
   multiplied as float32 within a step of the schedule and rounded, to nearest
   even, when they leave it; those of 8 bits then saturate at their largest
   number, as in CUDA. Max and min give NaN if any contribution is NaN. Avg is
   the sum divided by the number of ranks; for integers rounded towards zero.
   The schedule fixes the order of reduction, so the result has the same bits on
   every rank and in every run. */
typedef enum BLINK_INT {
  blinkSum = 0,
  blinkProd = 1,
  blinkMax = 2,
  blinkMin = 3,
  blinkAvg = 4,
  /* Bit by bit; of the integer types alone. */
  blinkBand = 5,
  blinkBor = 6,
  blinkBxor = 7
} blinkRedOp_t;

/* Where the scalar of an operator is. */
typedef enum BLINK_INT {
  blinkScalarDevice = 0,       /* in memory that the collective reads */
  blinkScalarHostImmediate = 1 /* in memory that making the operator reads */
} blinkScalarResidence_t;

typedef enum BLINK_INT {
  blinkBackendHost = 0,
  blinkBackendCuda = 1
} blinkBackend_t;

/* What schedules must promise of sums of floating point numbers (blinkc compile
   --order): that an element is added up alike whatever its place and the
   message's size, or in the order of ranks, ((r0 + r1) + r2) + ... */
typedef enum BLINK_INT {
  blinkOrderDefault = 0, /* what the environment's BLINK_ORDER says, or none */
  blinkOrderNone = 1,
  blinkOrderInvariant = 2,
  blinkOrderRank = 3
} blinkOrder_t;

/* Settings of communicators. Start from BLINK_CONFIG_INITIALIZER; `size` tells
   the library which fields the caller knows of. */
typedef struct {
  size_t size;
  blinkBackend_t backend;
  /* How long a rank waits for the others before the collective fails on all
     ranks. 0: the environment's BLINK_TIMEOUT_MS, or else 30000. */
  int timeoutMs;
  /* For bundles, which have schedules for many allocations of a machine: the
     GPU of each rank, nranks many, each another one, as numbers in the order of
     the machine's topology, which is nvidia-smi's. Read when communicators are
     made; schedules that are no bundles do not ask. NULL: rank r is GPU r on
     the host; on GPUs Blink finds out by the devices' PCI addresses, which
     ranks that join by an id tell each other, or if several ranks are on one
     device, rank r is GPU r. All ranks give the list or none. */
  const int *gpus;
  /* For bundles that were compiled with `--survive links`: a link of the
     machine that has failed, as "gpu0:gpu3", its two ends in either order.
     Schedules that do without it are taken. Read when communicators are made;
     the same on every rank. NULL: none has. */
  const char *withoutLink;
  /* 1: blinkCommInitRank returns when the communicator is made. 0: at once,
     with blinkInProgress. Others do not ask. */
  int blocking;
  /* Most bytes that a communicator takes on a rank's GPU for slots, where
     chunks arrive: if the schedules' chunks need more, the largest are made
     smaller, as far as that helps, to 16 KiB. The same on every rank. 0: the
     environment's BLINK_SLOT_BYTES, or else 56 MiB on GPUs, 160 in jobs over
     more than 16 ranks, and no limit on the host, where slots become memory as
     they are first used. A transport of channels that has slots at both ends
     takes as much again. */
  uint64_t slotBytes;
  /* Where each rank runs, nranks many, as blinkGetHost says there. Of the
     schedules those are taken then by which just the ranks on one host share a
     server, so that the files may have several placements. Read when
     communicators are made; the same on every rank. NULL: not known; all
     schedules have to be for one placement, and ranks that do not run as it
     says are told so when they join. */
  const uint64_t *hosts;
  /* A reduction of floating point numbers whose schedule promises less is
     refused: invalid usage. So is one of a type of 8 or 16 bits where a sum is
     made in several steps, between which it is rounded. The same on every rank.
     Communicators made of others ask for what those do. */
  blinkOrder_t order;
} blinkConfig_t;
#define BLINK_CONFIG_INITIALIZER                                               \
  {sizeof(blinkConfig_t), blinkBackendHost, 0, NULL, NULL, 1, 0, NULL,         \
   blinkOrderDefault}

/*===-- Errors and version ------------------------------------------------===*/

/* BLINK_VERSION of the library. Errors: version is NULL. */
BLINK_API blinkResult_t blinkGetVersion(int *version);

/* A few words for a result code; never NULL, never freed. */
BLINK_API const char *blinkGetErrorString(blinkResult_t result);

/* The last error's sentence: place, what, remedy. Of `comm`, or with NULL of
   the calling thread; "" if there was none. Valid until the calling thread's
   next call of this function. Never NULL. */
BLINK_API const char *blinkGetLastError(blinkComm_t comm);

/*===-- Schedules ---------------------------------------------------------===*/

/* Opens and checks a .sched file: a schedule, or a bundle of schedules for many
   allocations of a machine. A bundle is mapped into memory, its index is
   checked here, the schedules of one allocation when communicators are made;
   until all of them are destroyed and the schedule is closed the file may be
   replaced by another, but neither written to nor cut. On failure *schedule is
   NULL. Errors: system error if it cannot be read, invalid argument if it is
   not right; the sentence names the place in the file. */
BLINK_API blinkResult_t blinkScheduleOpen(const char *path,
                                          blinkSchedule_t *schedule);

/* The same from memory; `data` is copied and needs no alignment. */
BLINK_API blinkResult_t blinkScheduleOpenMemory(const void *data, size_t size,
                                                blinkSchedule_t *schedule);

/* Adds the programs of another file, so that one communicator serves several
   collectives compiled one by one. Where two programs fit a call, the one
   opened first is used. Communicators made before do not see it. On failure
   the schedule is as before. Not while another thread uses `schedule`.
   (Not an array of schedules to blinkCommInitAll: one file that holds them all
   is the usual case, and the call for it stays this simple.) */
BLINK_API blinkResult_t blinkScheduleAdd(blinkSchedule_t schedule,
                                         const char *path);

/* Opens all schedules of this machine that are kept in some places: files, and
   folders of which all files *.sched are taken in the order of their names,
   separated by colons. They are of one machine, or the environment's
   BLINK_MACHINE has the name of its topology, or the fingerprint. `places`
   NULL: the environment's BLINK_SCHEDULES. On failure *schedule is NULL.
   Errors: as blinkScheduleOpen; invalid usage if there are none, none of the
   machine, or of several. */
BLINK_API blinkResult_t blinkScheduleFind(const char *places,
                                          blinkSchedule_t *schedule);

/* Of the first file: the number of ranks of its first program, relays among
   them; of a bundle the number of the machine's GPUs, whether or not it has
   schedules for all of them together. */
BLINK_API blinkResult_t blinkScheduleRanks(blinkSchedule_t schedule,
                                           int *nranks);

/* Frees it. NULL is fine. */
BLINK_API blinkResult_t blinkScheduleClose(blinkSchedule_t schedule);

/*===-- Communicators -----------------------------------------------------===*/

/* A schedule compiled with relays has programs for GPUs outside the job, which
   forward and neither give nor take. They are the last ranks of the
   communicator, make the same calls as the others, and pass NULL as buffers. */

/* Makes comms[0..nranks) in this process. `devices` is for GPUs: NULL for the
   host back end, where the calling threads do the work, and threads that are
   started when first needed help with large collectives. All memory is
   allocated here. `config` may be NULL. On failure no communicator is left and
   comms[] is all NULL. Errors: invalid usage if no program is for nranks ranks
   or, of bundles, for their GPUs, or the back end is not built in; invalid
   argument if a GPU is none of the machine or there twice, or what a bundle has
   for it is damaged; system error if memory runs out. */
BLINK_API blinkResult_t blinkCommInitAll(blinkComm_t *comms, int nranks,
                                         const int *devices,
                                         blinkSchedule_t schedule,
                                         const blinkConfig_t *config);

/* Makes an id for one job whose ranks are several processes of this machine and
   user. One process calls it and gives the id to the others; a thread of it
   answers them until all have joined, so it has to live until then.
   Errors: system error. */
BLINK_API blinkResult_t blinkGetUniqueId(blinkUniqueId *id);

/* A number that processes have alike if they run on one host, in the same
   namespaces, and so can share memory. For blinkConfig_t::hosts. */
BLINK_API blinkResult_t blinkGetHost(uint64_t *host);

/* Makes the communicator of rank `rank`; `device` is for GPUs, -1 for the host
   back end. Every rank calls it with the same id, nranks, files and
   configuration, from processes or threads of their own; it returns when all
   have. The configuration's `gpus` are those of all ranks, the same on every
   rank. On failure *comm is NULL. Errors: as blinkCommInitAll; invalid argument
   if the id is not right; invalid usage if the ranks do not fit together;
   remote error if a rank does not come in time, or cannot join.

   One thread that makes several ranks puts the calls, and nothing else, between
   blinkGroupStart and blinkGroupEnd, which makes the communicators, each on a
   thread of its own meanwhile: all of them, of one job or several, or after an
   error none. The files, the id and the configuration are not needed after the
   call. The calling thread's current device (cudaSetDevice) stays as it is; the
   ranks' are those of their calls.

   With blocking = 0 it returns blinkInProgress, or in a group blinkGroupEnd
   does; of a group where one call is such, all are. *comm is set then, and a
   thread makes the communicator. blinkCommGetAsyncError gives blinkInProgress
   until it is made, then success, or the error, with which it is of no use but
   to be freed. Until then blinkCommAbort ends the attempt, on all ranks of the
   job and of the group, and frees the communicator; any other call but
   blinkGetLastError is invalid usage. */
BLINK_API blinkResult_t blinkCommInitRank(blinkComm_t *comm, int nranks,
                                          blinkUniqueId id, int rank,
                                          int device, blinkSchedule_t schedule,
                                          const blinkConfig_t *config);

/* Frees a communicator no call is using. The other ranks may be freed later,
   but their collectives fail from now on. GPU memory that other processes have
   mapped is freed when they have left: it is waited for a tenth of a second,
   and otherwise freed when communicators are made or destroyed after that. NULL
   is fine. */
BLINK_API blinkResult_t blinkCommDestroy(blinkComm_t comm);

/* Waits until all calls on `comm` that this rank has made are done, on GPUs
   those in streams, too, but for launches of graphs; each ends by its time
   limit. Other ranks need not call it, and `comm` stays as it is. Errors: what
   blinkCommGetAsyncError gives then. */
BLINK_API blinkResult_t blinkCommFinalize(blinkComm_t comm);

/* Ends every collective in progress on all ranks of the job, as blinkCommAbort,
   with the same error here and there, but frees nothing: what is left is
   blinkCommShrink, or to be destroyed. From any thread, also during a call. */
BLINK_API blinkResult_t blinkCommRevoke(blinkComm_t comm);

/* Ends every collective in progress on all ranks of the job with a remote
   error, waits until this rank's call has returned, and frees the communicator.
   The other ranks' communicators stay unusable until destroyed. */
BLINK_API blinkResult_t blinkCommAbort(blinkComm_t comm);

/* Makes the communicator of what is left of a job, after an error or before
   one: of all ranks of `comm` that are not excluded, in their order, with the
   schedules that the files of `comm` have for their GPUs, compiled before. The
   shape is ncclCommShrink's, and the effect that of NCCL_SHRINK_ABORT.

   Every rank that remains calls it, with the same list, from processes and
   threads of their own; it returns when all have, with success on all of them
   or an error on all of them. One thread that drives several ranks of
   blinkCommInitAll puts its calls, and nothing else, between blinkGroupStart
   and blinkGroupEnd, which makes the communicators. Excluded ranks do not call;
   they may be dead. The process that made the unique id is not needed.

   All collectives in progress on `comm` end with an error on all ranks, as by
   blinkCommAbort, and none can begin; the call may be made while another thread
   is in one. `comm` still has to be destroyed, on excluded ranks, too; before,
   after an error, the call may be repeated, with another list as well.

   Buffers. Send buffers are never written by a collective, so after success a
   collective that had failed out of place can be repeated at once, into the
   same buffer: nobody writes to a buffer of a call on `comm` any more. What was
   in place is lost: input and output were one. Buffers that are registered with
   `comm` are not with *newcomm.

   Of `config`, which may be NULL, only timeoutMs and withoutLink are read. 0
   and NULL: those of `comm`. "" as withoutLink: the machine is whole. With an
   excludeCount of 0 the job changes to the schedules without a link and stays
   as it is. On failure *newcomm is NULL.

   Errors: invalid usage if no schedule is for the ranks that remain (`comm` is
   then as before), or the ranks' lists differ; invalid argument if a rank is
   none of `comm`, there twice or the caller's; remote error if a rank that
   remains dies or does not call in time. */
BLINK_API blinkResult_t blinkCommShrink(blinkComm_t comm,
                                        const int *excludeRanks,
                                        int excludeCount, blinkComm_t *newcomm,
                                        const blinkConfig_t *config);

/* Makes communicators of some ranks of `comm` each, with the schedules that the
   files of `comm` have for their GPUs. The shape and meaning are
   ncclCommSplit's: ranks with the same colour, 0 or more, are together, ordered
   by key and where keys are equal by their ranks in `comm`. With
   BLINK_SPLIT_NOCOLOR a rank takes part and gets NULL. `comm` stays usable, and
   may be destroyed.

   Every rank of `comm` calls it, in the same order relative to its other calls
   on `comm`, from processes and threads of their own; it returns when the
   communicators of the rank's colour are made. One thread that drives several
   ranks puts its calls, and nothing else, between blinkGroupStart and
   blinkGroupEnd, once for each rank; after an error of blinkGroupEnd those of
   other colours may have their communicators.

   Of `config`, which may be NULL, only timeoutMs and withoutLink are read. 0
   and NULL: those of `comm`. "" as withoutLink: the machine is whole. In one
   process timeoutMs is that of the first rank of the colour. On failure
   *newcomm is NULL.

   Errors: invalid argument if the colour is none. Invalid usage, on all ranks
   of a colour and none of the others, if no schedule is for them or they name
   different failed links. Remote error if a rank does not call in time, gives
   up or dies; `comm` is unusable, too, if that was before all had called. */
#define BLINK_SPLIT_NOCOLOR (-1)
BLINK_API blinkResult_t blinkCommSplit(blinkComm_t comm, int color, int key,
                                       blinkComm_t *newcomm,
                                       const blinkConfig_t *config);

/* Lets ranks say something to each other, by the host's memory and without a
   schedule: for what they have to decide alike, not for data. Of `all`, bytes *
   the number of ranks that take part, the i-th bytes are what the i-th of them
   said. The ranks of `comm` that are not excluded call it, each with the same
   list and number of bytes, at most BLINK_EXCHANGE_BYTES, from processes or
   threads of their own; a rank that was excluded takes part in none after that.
   It does not begin a group's calls, nor wait for any, and works when `comm`
   has become unusable, too.

   Errors: invalid argument as blinkCommShrink's, or of the bytes; invalid usage
   if the ranks' numbers of bytes differ; remote error if a rank dies, has
   destroyed its communicator or does not call in time. `comm` stays as it is,
   but the ranks that did not hear all need not have the same error. */
#define BLINK_EXCHANGE_BYTES 256
BLINK_API blinkResult_t blinkCommExchange(blinkComm_t comm, const void *said,
                                          size_t bytes, void *all,
                                          const int *excludeRanks,
                                          int excludeCount);

/* *result: success, or why the communicator has become unusable, of which
   blinkGetLastError(comm) has the sentence then, or blinkInProgress: it is
   being made. Between calls, too: that a process of another rank has died, or
   has given no sign of life from its server for BLINK_HEARTBEAT_MS, or that the
   network between two ranks is down, is a remote error. */
BLINK_API blinkResult_t blinkCommGetAsyncError(blinkComm_t comm,
                                               blinkResult_t *result);

BLINK_API blinkResult_t blinkCommCount(blinkComm_t comm, int *nranks);
BLINK_API blinkResult_t blinkCommUserRank(blinkComm_t comm, int *rank);

/* Bytes that one rank's communicator holds. Begin with
   BLINK_MEMORY_INFO_INITIALIZER; `size` tells the library which fields the
   caller knows of, and afterwards the caller which were set. */
typedef struct {
  size_t size;
  /* On the rank's GPU, all of it from when communicators are made. On the host
     back end, memory of the job, which becomes memory as it is first used. */
  uint64_t slots;   /* where chunks arrive, with their tags */
  uint64_t control; /* counters of channels, and what a rank tells others */
  uint64_t
      programs; /* the schedules' steps; 0 on the host: read in the files */
  /* In the host's memory, pinned for GPUs. */
  uint64_t staging; /* slots of channels that lead through it to this rank, or
                       that lead to and from it over a network */
  uint64_t job;     /* what the ranks tell each other; one for all of them */
  /* The caller's: buffers of this rank that are registered. */
  uint64_t registered;
} blinkMemoryInfo_t;
#define BLINK_MEMORY_INFO_INITIALIZER                                          \
  {sizeof(blinkMemoryInfo_t), 0, 0, 0, 0, 0, 0}

/* Fills in *info. What CUDA itself takes for a context and for kernels is not
   counted, nor what the process needs to keep books. Errors: invalid argument.
 */
BLINK_API blinkResult_t blinkCommMemory(blinkComm_t comm,
                                        blinkMemoryInfo_t *info);

/* What a rank's calls were and waited for since its communicator was made.
   Begin with BLINK_STATS_INITIALIZER; `size` tells the library which fields the
   caller knows of, and afterwards the caller which were set. */
typedef struct {
  size_t size;
  uint64_t collectives; /* that the rank has begun */
  uint64_t messages;
  /* Nanoseconds in which its calls waited for other ranks, and the thread that
     made them had nothing else to do; on GPUs of waits longer than two
     milliseconds, once they are over. */
  uint64_t waited;
  int mostWaitedFor; /* the rank for which most of that was; -1: none */
} blinkStats_t;
#define BLINK_STATS_INITIALIZER {sizeof(blinkStats_t), 0, 0, 0, 0}

/* Fills in *stats and, unless it is NULL, waitedFor[0..nranks): for how much of
   `waited` each rank was to blame. Where several lanes of a call wait for
   different ranks, the first one's counts. Ranks that are slow are told from
   those that wait for them only by comparing: who waits little is waited for.
   From any thread, also during a call. Errors: invalid argument. */
BLINK_API blinkResult_t blinkCommStats(blinkComm_t comm, blinkStats_t *stats,
                                       uint64_t *waitedFor);

/*===-- Operators ---------------------------------------------------------===*/

/* Makes an operator of `comm`: a sum in which this rank's contribution is
   multiplied by a scalar before. Collectives have it in place of blinkSum;
   ranks that call one have each an operator of their own, with a scalar of its
   own.

   The result is that of blinkSum where each rank had multiplied its elements
   before, and rounded the products to the type: integers wrap around, the types
   of 8 and 16 bits are multiplied as float32 and rounded to nearest even, those
   of 8 bits saturate. So it has the same bits on every rank and in every run,
   too. Send buffers stay as they are. No other rank looks at them, so that what
   registering and one address space spare otherwise, a copy, is made.

   `scalar` is of `type`, and so are the collectives that the operator is for.
   blinkScalarHostImmediate: it is read here. blinkScalarDevice: it is read by
   each collective when that runs, in its stream, and by each launch of a graph;
   until then it must be there, in memory that the rank's device reaches, on the
   host back end in any, aligned to an element.

   *op is a number above the built-in ones, which no other communicator of this
   process has meanwhile; one that was destroyed may come again. Errors: invalid
   argument. */
BLINK_API blinkResult_t blinkRedOpCreatePreMulSum(
    blinkRedOp_t *op, const void *scalar, blinkDataType_t type,
    blinkScalarResidence_t residence, blinkComm_t comm);

/* Destroys an operator of `comm`. Collectives that were called with it go on,
   also those of a group that has not ended. Destroying the communicator
   destroys what it has left; blinkCommShrink makes one without any. Errors:
   invalid argument if it is none that was made with `comm`, or is destroyed. */
BLINK_API blinkResult_t blinkRedOpDestroy(blinkRedOp_t op, blinkComm_t comm);

/*===-- Buffers -----------------------------------------------------------===*/

/* Memory for buffers that ranks in other processes reach into, once they are
   registered: at least `bytes`. It is the caller's like any other.

   In a thread that has made a GPU current (cudaSetDevice), or used one, it is
   memory of that GPU, as ncclMemAlloc's: for this GPU and all that reach it,
   with any contents. Before CUDA 12 cudaSetDevice alone does not count.
   In any other thread, and in a build without CUDA, it is the host's, for the
   host back end: all zero, aligned to a page; after fork() parent and child
   share it.

   All other memory works, too: on the host it is copied once more, or by the
   kernel. Errors: invalid argument if there are no bytes; system error if
   memory or file descriptors run out. */
BLINK_API blinkResult_t blinkMemAlloc(void **memory, size_t bytes);

/* Frees it, from any thread. No collective that uses it is under way. NULL is
   fine. Errors: invalid argument if it is none of blinkMemAlloc's; invalid
   usage while some of it is registered. */
BLINK_API blinkResult_t blinkMemFree(void *memory);

/* Registers a buffer, so that other ranks reach into it where data would go
   through slots otherwise: on GPUs they write results there and read inputs, on
   the host they read.

   A call of one rank, at any time, with a buffer of any size; the others need
   not call it, nor wait. Calls that begin from then on use the buffer, across
   processes those that begin when all that have a channel with this rank have
   mapped it: a thread of theirs does so, some tenths of a millisecond after
   their first call since. Until then, and where one of them cannot, chunks go
   through slots, and results are the same. At most 1024 buffers of a rank at a
   time across processes. In one process nothing happens on the host; on several
   GPUs it opens the buffer to those that have a channel with the rank's.

   On GPUs it takes memory of cudaMalloc and blinkMemAlloc, and memory of pools
   (cudaMallocAsync) and of cuMemCreate that was made with handles for file
   descriptors, the latter also with those for fabrics: as PyTorch's expandable
   segments. Without such handles it does in one process only. On the host it
   helps calls whose buffers, as far as they are used, all lie within registered
   ones, and these in memory of blinkMemAlloc; registering other memory is
   allowed and does nothing.

   Errors: invalid argument if it is no memory of a GPU that others can use, or
   not all of it is; invalid usage if there are too many; system error. */
BLINK_API blinkResult_t blinkCommRegister(blinkComm_t comm, void *buffer,
                                          size_t bytes, void **handle);

/* Ends it: a call of one rank, too. It waits for this rank's calls that are
   under way, but for launches of graphs, of which none with the buffer may be;
   others may be calls behind. It returns when no other process has the buffer
   mapped, which is soon, and then it may be freed. A graph that was captured
   with the buffer may be launched later, too, while the memory is there: it
   goes through slots. NULL is fine.

   Errors: invalid argument if it is no handle; remote error if a process has
   not let go of the buffer in time, as when it is stopped: then the memory must
   stay, and the call may be repeated. A process that has died does not have it
   any more. */
BLINK_API blinkResult_t blinkCommDeregister(blinkComm_t comm, void *handle);

/*===-- Collectives -------------------------------------------------------===*/
/* Every rank calls the same collectives in the same order with the same count,
   type, operator and root. Counts are in elements. Buffers are aligned to the
   size of an element; they overlap nowhere or are the same (in place):
   send == recv; for blinkAllGather and, at the root, blinkGather send == recv +
   rank * sendcount; for blinkReduceScatter and, at the root, blinkScatter recv
   == send + rank * recvcount. There is no blinkAllToAll in place.

   On the host a call outside a group returns when this rank's part is done and
   its buffers may be used again. Count 0 does nothing.

   Errors: invalid argument, or invalid usage if no program fits: nothing is run
   and the communicator may be used on. Invalid usage if the ranks' calls
   differ: within one group nothing is run; otherwise a rank finds out when data
   of another call arrives, and all communicators become unusable. Remote error
   if a rank does not call in time, gives up or dies: likewise. Buffers that
   were being written hold nothing of use then; destroy the communicators. */

BLINK_API blinkResult_t blinkAllReduce(const void *send, void *recv,
                                       size_t count, blinkDataType_t type,
                                       blinkRedOp_t op, blinkComm_t comm,
                                       blinkStream_t stream);

/* `send` is read on rank `root` only, and may be NULL elsewhere. */
BLINK_API blinkResult_t blinkBroadcast(const void *send, void *recv,
                                       size_t count, blinkDataType_t type,
                                       int root, blinkComm_t comm,
                                       blinkStream_t stream);

/* `recv` is written on rank `root` only, and may be NULL elsewhere. */
BLINK_API blinkResult_t blinkReduce(const void *send, void *recv, size_t count,
                                    blinkDataType_t type, blinkRedOp_t op,
                                    int root, blinkComm_t comm,
                                    blinkStream_t stream);

/* `recv` holds nranks * sendcount elements. */
BLINK_API blinkResult_t blinkAllGather(const void *send, void *recv,
                                       size_t sendcount, blinkDataType_t type,
                                       blinkComm_t comm, blinkStream_t stream);

/* `send` holds nranks * recvcount elements. */
BLINK_API blinkResult_t blinkReduceScatter(const void *send, void *recv,
                                           size_t recvcount,
                                           blinkDataType_t type,
                                           blinkRedOp_t op, blinkComm_t comm,
                                           blinkStream_t stream);

/* `recv` holds nranks * sendcount elements. It is written on rank `root` only,
   and may be NULL elsewhere. */
BLINK_API blinkResult_t blinkGather(const void *send, void *recv,
                                    size_t sendcount, blinkDataType_t type,
                                    int root, blinkComm_t comm,
                                    blinkStream_t stream);

/* `send` holds nranks * recvcount elements. It is read on rank `root` only, and
   may be NULL elsewhere. */
BLINK_API blinkResult_t blinkScatter(const void *send, void *recv,
                                     size_t recvcount, blinkDataType_t type,
                                     int root, blinkComm_t comm,
                                     blinkStream_t stream);

/* Both buffers hold nranks * count elements: `count` for and from each rank. */
BLINK_API blinkResult_t blinkAllToAll(const void *send, void *recv,
                                      size_t count, blinkDataType_t type,
                                      blinkComm_t comm, blinkStream_t stream);

/*===-- Messages ----------------------------------------------------------===*/
/* Point to point, over the paths of a schedule of sendrecv. Messages from one
   rank to another arrive in the order of their calls; sender and receiver give
   the same count and type. Other ranks take no part, and messages pass those of
   other pairs, and collectives. Between blinkGroupStart and blinkGroupEnd all
   of them go on at the same time: exchanges of any pattern and with any counts,
   such as an alltoall of uneven parts, are messages in a group. Outside a group
   a rank that receives before it sends may wait for one that does the same.

   On the host blinkSend returns when `send` may be used again, which may be
   before it has been received. The first message to or from a rank allocates.
   A rank sends to itself in a group that also receives it. Count 0 does
   nothing, and nobody waits for it. On GPUs the calls return when the messages
   are in their streams; those of a group are one kernel, or several if a device
   has more than 31 ends of messages, and go on beside the group's collectives.

   Errors: as of collectives. Invalid usage if the two calls differ, which the
   receiver finds out, and all communicators become unusable; remote error if
   the other rank does not call in time, gives up or dies: likewise. */

BLINK_API blinkResult_t blinkSend(const void *send, size_t count,
                                  blinkDataType_t type, int peer,
                                  blinkComm_t comm, blinkStream_t stream);

BLINK_API blinkResult_t blinkRecv(void *recv, size_t count,
                                  blinkDataType_t type, int peer,
                                  blinkComm_t comm, blinkStream_t stream);

/* Whether a message of `peer` with that count and type has begun to arrive, so
   that blinkRecv would not have to wait for the call of the other rank:
   *arrived is 1 or 0. Does not wait, but for a thread that is receiving from
   `peer`. Errors: as of blinkRecv; invalid usage on GPUs, where messages arrive
   in streams. */
BLINK_API blinkResult_t blinkProbe(size_t count, blinkDataType_t type, int peer,
                                   blinkComm_t comm, int *arrived);

/*===-- Groups ------------------------------------------------------------===*/

/* Collectives called by this thread between the two are collected, and run
   together by blinkGroupEnd, which returns when all are done: this is how one
   thread drives several ranks. Calls on one communicator keep their order.
   Likewise blinkCommInitRank, blinkCommShrink and blinkCommSplit, in groups of
   their own: what a group mixes is invalid usage. Groups nest; the outermost
   end runs them. If a collective in the group was refused, blinkGroupEnd runs
   none and returns that error. A communicator must not be destroyed between the
   two; it may be aborted. Errors of blinkGroupEnd: invalid usage without a
   start; else the first error among the collectives. */
BLINK_API blinkResult_t blinkGroupStart(void);
BLINK_API blinkResult_t blinkGroupEnd(void);

/* Ends a group as blinkGroupEnd does, but runs nothing and leaves nothing of it
   behind: of the outermost group, *microseconds becomes the time that its calls
   take by their schedules' model, an estimate that knows nothing of what else
   the machine does; of one within another group, whose end decides, 0.

   It is the time of the communicator that takes longest. Its collectives are
   added up, and so are the messages that it sends, and those that it receives,
   which take as long as the longer of the two. A message takes what one between
   the two ranks takes for which it is longest; to the rank itself, and with
   count 0, a call takes none. What ranks call is not compared.

   Errors: as of blinkGroupEnd, for what it finds before it runs anything.
   Invalid usage if a schedule has no times, as it was made before Blink wrote
   them, or if the group makes communicators: none is made then. *microseconds
   stays as it was. */
BLINK_API blinkResult_t blinkGroupSimulateEnd(double *microseconds);

#ifdef __cplusplus
}
#endif

#endif /* BLINK_RUNTIME_BLINK_H */
