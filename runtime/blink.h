/*===- blink.h - Blink's runtime, C API ---------------------------*- C -*-===*\
|*
|* Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
|*
|* Replays schedules that `blinkc` compiled. The runtime plans nothing: open a
|* .sched file, make communicators, call collectives. The API has the shape of
|* NCCL's, with the same numbers for results, types and operators.
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
|* Every function returns a blinkResult_t; blinkGetLastError returns a sentence
|* that says what went wrong. The library never exits or aborts. It prints to
|* stderr, and writes files, only if variables of the environment ask for it:
|* BLINK_DEBUG, BLINK_HANG_SIGNAL, BLINK_HANG_DIR and BLINK_TRACE. While there
|* is a communicator, /dev/shm/blink-flight.* has what it does, for blink-top.
|*
|* Threads. Unless its comment says otherwise, a function may be called from any
|* thread at any time. Collectives on one communicator take turns, and so do
|* messages from one rank to another; a group takes its turn as a whole. If
|* several threads make such calls, the caller has to decide their order,
|* because all ranks must make the same calls in the same order. A thread that
|* waits in a message delays no other pair of ranks and no collective.
|* Registering a buffer waits for all calls of its own rank. blinkCommAbort,
|* blinkCommShrink, blinkCommGetAsyncError and blinkGetLastError wait for no
|* other call. When a communicator is freed, no thread may be about to use it;
|* blinkCommAbort may be called while a call is under way.
|*
|* Processes. After fork() the child may make schedules and communicators of its
|* own. Its copies of the parent's communicators are of no use: calls on them
|* are refused, and destroying one does nothing, neither in the child nor in the
|* parent.
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

/* An enumeration with a fixed type: a wrong number from a C program then gives
   an error code instead of undefined behaviour in C++. */
#ifdef __cplusplus
#define BLINK_INT : int
#else
#define BLINK_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; blinkGetVersion returns the library's. */
#define BLINK_MAJOR 0
#define BLINK_MINOR 1
#define BLINK_PATCH 0
#define BLINK_VERSION (BLINK_MAJOR * 10000 + BLINK_MINOR * 100 + BLINK_PATCH)

/* One rank of a job. Made by blinkCommInitAll, blinkCommInitRank,
   blinkCommShrink or blinkCommSplit; freed by blinkCommDestroy or
   blinkCommAbort. */
typedef struct blinkComm *blinkComm_t;

/* Lets the processes of a job find each other. It is a secret: any process that
   has it can join. Pass on its bytes in a way that nobody else can read. */
typedef struct {
  char internal[128];
} blinkUniqueId;
/* The last BLINK_UNIQUE_ID_SPARE bytes are zero; the caller may store anything
   there. */
#define BLINK_UNIQUE_ID_SPARE 24

/* The programs of one or several .sched files. It may be closed as soon as the
   communicators are made: they keep what they need. */
typedef struct blinkSchedule *blinkSchedule_t;

/* The type of cudaStream_t, declared without CUDA's headers. The host back end
   runs no streams and ignores the argument; pass NULL. */
typedef struct CUstream_st *blinkStream_t;

typedef enum BLINK_INT {
  blinkSuccess = 0,
  blinkUnhandledCudaError = 1,
  blinkSystemError = 2,     /* files, memory, threads */
  blinkInternalError = 3,   /* a defect in Blink */
  blinkInvalidArgument = 4, /* one argument is wrong by itself */
  blinkInvalidUsage = 5,    /* arguments or ranks do not fit together */
  blinkRemoteError = 6,     /* another rank failed, is missing or gave up */
  blinkInProgress = 7       /* not an error: see blinkCommInitRank */
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

/* Integers wrap around. Floating-point types of 8 and 16 bits are added and
   multiplied as float32 within a step of the schedule and rounded to nearest
   even when they leave it; those of 8 bits then saturate at their largest
   number, as in CUDA. Max and min give NaN if any contribution is NaN. Avg is
   the sum divided by the number of ranks, rounded towards zero for integers.
   The schedule fixes the order of reduction, so the result has the same bits on
   every rank and in every run, whatever the caller's rounding mode. Only which
   NaN a sum of NaNs is, its sign and payload, is left open. */
typedef enum BLINK_INT {
  blinkSum = 0,
  blinkProd = 1,
  blinkMax = 2,
  blinkMin = 3,
  blinkAvg = 4,
  /* Bitwise; for the integer types only. */
  blinkBand = 5,
  blinkBor = 6,
  blinkBxor = 7
} blinkRedOp_t;

/* Where the scalar of an operator is stored. */
typedef enum BLINK_INT {
  blinkScalarDevice = 0,       /* in memory that each collective reads */
  blinkScalarHostImmediate = 1 /* in memory that is read when the operator is
                                  made */
} blinkScalarResidence_t;

typedef enum BLINK_INT {
  blinkBackendHost = 0,
  blinkBackendCuda = 1
} blinkBackend_t;

/* What schedules must promise about sums of floating-point numbers (blinkc
   compile --order). Invariant: an element is added up in the same way whatever
   its position and the size of the message. Rank: in the order of ranks, ((r0 +
   r1) + r2) + ... */
typedef enum BLINK_INT {
  blinkOrderDefault = 0, /* BLINK_ORDER of the environment; if unset, none */
  blinkOrderNone = 1,
  blinkOrderInvariant = 2,
  blinkOrderRank = 3
} blinkOrder_t;

/* Settings of communicators. Start from BLINK_CONFIG_INITIALIZER; `size` tells
   the library which fields the caller's header has. */
typedef struct {
  size_t size;
  blinkBackend_t backend;
  /* How long a rank waits for the others before the collective fails on all
     ranks, in milliseconds. 0: the environment's BLINK_TIMEOUT_MS, or 30000 if
     that is not set. */
  int timeoutMs;
  /* For bundles, which have schedules for many allocations of a machine: the
     GPU of each rank, nranks numbers, all different, in the numbering of the
     machine's topology, which is nvidia-smi's. Read when communicators are
     made; schedules that are no bundles ignore it. NULL: on the host, rank r is
     GPU r. On GPUs, Blink finds the numbers by the devices' PCI addresses,
     which ranks that join by an id tell each other; if several ranks use one
     device, rank r is GPU r. Either all ranks pass the list or none does. */
  const int *gpus;
  /* A link of the machine that has failed, named by its two ends in either
     order, as "gpu0:gpu3". The library then uses schedules that do without that
     link: from bundles those that were compiled with `--survive links`, from
     single schedules the programs that do not use it. Read when communicators
     are made; the same on every rank. NULL: no link has failed. */
  const char *withoutLink;
  /* 1: blinkCommInitRank returns when the communicator is made. 0: it returns
     at once, with blinkInProgress. Other functions ignore this field. */
  int blocking;
  /* The most bytes that a communicator may use on a rank's GPU for slots, in
     which chunks arrive. If the schedules' chunks need more, the largest chunks
     are made smaller until they fit, but not smaller than 16 KiB. The same on
     every rank. 0: the environment's BLINK_SLOT_BYTES; if that is not set, on
     GPUs 56 MiB, or 160 MiB in jobs of more than 16 ranks, and no limit on the
     host, where slots take up memory only once they are used. A transport whose
     channels have slots at both ends uses as much again. */
  uint64_t slotBytes;
  /* The host of each rank, nranks numbers, as blinkGetHost returns them there.
     The library then uses only schedules in which two ranks share a server
     exactly if they run on one host; the files may therefore hold several
     placements. Read when communicators are made; the same on every rank. NULL:
     not known. All schedules must then be for one placement, and joining fails
     with an explanation if the ranks do not run as it says. */
  const uint64_t *hosts;
  /* The library refuses, as invalid usage, a reduction of floating-point
     numbers whose schedule promises less than this. With an order other than
     none it also refuses one of a type of 8 or 16 bits in which a sum is made
     in several steps, because such a sum is rounded between them. The same on
     every rank. Communicators made from another communicator have the same
     requirement. */
  blinkOrder_t order;
} blinkConfig_t;
#define BLINK_CONFIG_INITIALIZER                                               \
  {sizeof(blinkConfig_t), blinkBackendHost, 0, NULL, NULL, 1, 0, NULL,         \
   blinkOrderDefault}

/*===-- Errors and version ------------------------------------------------===*/

/* Sets *version to BLINK_VERSION of the library. Errors: version is NULL. */
BLINK_API blinkResult_t blinkGetVersion(int *version);

/* Returns a few words for a result code. The string is never NULL and is not to
   be freed. */
BLINK_API const char *blinkGetErrorString(blinkResult_t result);

/* Returns the sentence of the last error: place, what, remedy. The error is the
   last one of `comm`, or, if `comm` is NULL, of the calling thread; "" if there
   was none. The string is valid until the calling thread's next call of this
   function. Never NULL. */
BLINK_API const char *blinkGetLastError(blinkComm_t comm);

/*===-- Schedules ---------------------------------------------------------===*/

/* Opens and checks a .sched file: a schedule, or a bundle of schedules for many
   allocations of a machine. A bundle is mapped into memory; its index is
   checked here, and the schedules of an allocation are checked when
   communicators are made. Until all these communicators are destroyed and the
   schedule is closed, the file may be replaced by another one, but it may not
   be written to or truncated. On failure *schedule is NULL. Errors: system
   error if the file cannot be read; invalid argument if its contents are not
   valid, with a sentence that names the place in the file, or if it is no
   bundle and has more than 1 GiB (a device such as /dev/zero never ends). */
BLINK_API blinkResult_t blinkScheduleOpen(const char *path,
                                          blinkSchedule_t *schedule);

/* Does the same with a file in memory; `data` is copied and needs no
   alignment. */
BLINK_API blinkResult_t blinkScheduleOpenMemory(const void *data, size_t size,
                                                blinkSchedule_t *schedule);

/* Adds the programs of another file, so that one communicator serves several
   collectives that were compiled separately. If two programs fit a call, the
   one opened first is used. Communicators made earlier do not see the new
   programs. On failure the schedule is unchanged. No other thread may use
   `schedule` during the call. (blinkCommInitAll does not take an array of
   schedules: one file that holds all of them is the usual case, and the call
   for it stays this simple.) */
BLINK_API blinkResult_t blinkScheduleAdd(blinkSchedule_t schedule,
                                         const char *path);

/* Opens all schedules of this machine in the given places. `places` is a list,
   separated by colons, of files and of folders, whose *.sched files are all
   opened in the order of their names; NULL: the environment's BLINK_SCHEDULES.
   All of the files must be of one machine, unless the environment's
   BLINK_MACHINE selects one by the name of its topology or by its fingerprint.
   On failure *schedule is NULL. Errors: as blinkScheduleOpen; invalid usage if
   there are no schedules, none of the machine, or those of several machines. */
BLINK_API blinkResult_t blinkScheduleFind(const char *places,
                                          blinkSchedule_t *schedule);

/* Sets *nranks, by the first file. For a schedule it is the number of ranks of
   its first program, including relays; for a bundle it is the number of the
   machine's GPUs, whether or not the bundle has schedules for all of them
   together. */
BLINK_API blinkResult_t blinkScheduleRanks(blinkSchedule_t schedule,
                                           int *nranks);

/* Frees `schedule`, which may be NULL. */
BLINK_API blinkResult_t blinkScheduleClose(blinkSchedule_t schedule);

/*===-- Communicators -----------------------------------------------------===*/

/* A schedule that was compiled with relays has programs for GPUs outside the
   job, which forward data but neither contribute nor receive any. These are the
   last ranks of the communicator. They make the same calls as the others and
   pass NULL as buffers. */

/* Makes comms[0..nranks) in this process. `devices` has the CUDA device of each
   rank; NULL: rank r uses device r. Pass NULL for the host back end, where the
   calling threads do the work, helped in large collectives by threads that are
   started when first needed. All memory is allocated here. `config` may be
   NULL. On failure no communicator is left and comms[] is all NULL. Errors:
   invalid usage if there is no program for nranks ranks or, in bundles, for
   their GPUs, or if the back end is not built in; invalid argument if a GPU is
   not one of the machine's or is listed twice, or if what a bundle has for the
   GPUs is damaged; system error if memory runs out. */
BLINK_API blinkResult_t blinkCommInitAll(blinkComm_t *comms, int nranks,
                                         const int *devices,
                                         blinkSchedule_t schedule,
                                         const blinkConfig_t *config);

/* Makes an id for one job whose ranks are several processes of this user, on
   this machine or on several. One process calls it and passes the id to the
   others. A thread of that process answers them until all have joined, so the
   process must live until then. Errors: system error. */
BLINK_API blinkResult_t blinkGetUniqueId(blinkUniqueId *id);

/* Sets *host to a number that is the same for processes that run on one host in
   the same namespaces, and therefore can share memory. For
   blinkConfig_t::hosts. */
BLINK_API blinkResult_t blinkGetHost(uint64_t *host);

/* Makes the communicator of rank `rank`; `device` is the rank's CUDA device, or
   -1 for the host back end. Every rank calls this function with the same id,
   nranks, files and configuration, from processes or threads of their own; it
   returns when all have. The configuration's `gpus` lists the GPUs of all ranks
   and is the same on every rank. On failure *comm is NULL. Errors: as
   blinkCommInitAll; invalid argument if the id is not valid; invalid usage if
   the ranks do not fit together; remote error if a rank does not come in time,
   or cannot join.

   One thread that makes several ranks puts these calls, and no others, between
   blinkGroupStart and blinkGroupEnd. blinkGroupEnd then makes the
   communicators, each on a thread of its own: all of them, of one job or
   several, or none if there is an error. The files, the id and the
   configuration are not needed after the call. The calling thread's current
   device (cudaSetDevice) does not change; each rank uses the device of its
   call.

   With blocking = 0 the function returns blinkInProgress; in a group,
   blinkGroupEnd does. If one call of a group has blocking = 0, all of them are
   treated so. *comm is set at once, and a thread makes the communicator.
   blinkCommGetAsyncError gives blinkInProgress until it is made, and then
   success or the error; after an error the communicator can only be freed.
   Until then blinkCommAbort ends the attempt, on all ranks of the job and of
   the group, and frees the communicator; any other call except
   blinkGetLastError is invalid usage. */
BLINK_API blinkResult_t blinkCommInitRank(blinkComm_t *comm, int nranks,
                                          blinkUniqueId id, int rank,
                                          int device, blinkSchedule_t schedule,
                                          const blinkConfig_t *config);

/* Frees a communicator that no thread is using. On GPUs it first waits, as
   blinkCommFinalize does, until this rank's calls in streams are done. The
   other ranks may be freed later, but their collectives fail from then on. GPU
   memory that other processes have mapped is freed once they have unmapped it:
   the call waits a tenth of a second for that; otherwise the memory is freed
   when communicators are next made or destroyed. `comm` may be NULL. Errors:
   invalid usage if a collective is using the communicator, or it is still being
   made. */
BLINK_API blinkResult_t blinkCommDestroy(blinkComm_t comm);

/* Waits until all calls on `comm` that this rank has made are done, on GPUs
   including those in streams, but not launches of graphs. Each call ends within
   its time limit. Other ranks need not call this function, and `comm` stays as
   it is. Errors: what blinkCommGetAsyncError gives afterwards. */
BLINK_API blinkResult_t blinkCommFinalize(blinkComm_t comm);

/* Ends every collective in progress on all ranks of the job, with the same
   errors as blinkCommAbort, but frees nothing: afterwards the communicator can
   only be shrunk (blinkCommShrink) or destroyed. May be called from any thread,
   also during a call. */
BLINK_API blinkResult_t blinkCommRevoke(blinkComm_t comm);

/* Ends every collective in progress on all ranks of the job with a remote
   error, waits until this rank's call has returned, and frees the communicator.
   The other ranks' communicators stay unusable until they are destroyed. */
BLINK_API blinkResult_t blinkCommAbort(blinkComm_t comm);

/* Makes the communicator of the remaining ranks of a job, after an error or
   before one: of all ranks of `comm` that are not excluded, in their order,
   with the schedules that the files of `comm` have for their GPUs, which were
   compiled beforehand. The shape is ncclCommShrink's, and the effect is that of
   NCCL_SHRINK_ABORT.

   Every rank that remains calls it with the same list, from processes and
   threads of their own. It returns when all have called it, with success on all
   of them or an error on all of them. One thread that drives several ranks of
   blinkCommInitAll puts these calls, and no others, between blinkGroupStart and
   blinkGroupEnd, which makes the communicators. Excluded ranks do not call;
   they may be dead. The process that made the unique id is not needed.

   All collectives in progress on `comm` end with an error on all ranks, as by
   blinkCommAbort, and no new one can begin; the call may be made while another
   thread is in a collective. `comm` still has to be destroyed, on excluded
   ranks, too. After an error, and before `comm` is destroyed, the call may be
   repeated, also with another list.

   Buffers. A collective never writes to a send buffer. After success a
   collective that had failed out of place can therefore be repeated at once,
   into the same buffer: no rank writes to a buffer of a call on `comm` any
   more. The data of a call in place is lost, because input and output were one.
   Buffers that are registered with `comm` are not registered with *newcomm.

   Of `config`, which may be NULL, only timeoutMs and withoutLink are read. 0
   and NULL mean those of `comm`; "" as withoutLink means that no link of the
   machine has failed. With an excludeCount of 0 the job keeps all its ranks and
   changes to schedules that do without the failed link. On failure *newcomm is
   NULL.

   Errors: invalid usage if there is no schedule for the ranks that remain
   (`comm` is then as before), or if the ranks' lists differ; invalid argument
   if an excluded rank is not one of `comm`, is listed twice or is the caller's;
   remote error if a rank that remains dies or does not call in time. */
BLINK_API blinkResult_t blinkCommShrink(blinkComm_t comm,
                                        const int *excludeRanks,
                                        int excludeCount, blinkComm_t *newcomm,
                                        const blinkConfig_t *config);

/* Makes one communicator for each colour, of the ranks of `comm` that pass it,
   with the schedules that the files of `comm` have for their GPUs. The shape
   and meaning are ncclCommSplit's: ranks with the same colour, 0 or more, are
   together, ordered by key and, if keys are equal, by their ranks in `comm`. A
   rank with BLINK_SPLIT_NOCOLOR takes part and gets NULL. `comm` stays usable,
   and may be destroyed.

   Every rank of `comm` calls it, in the same order relative to its other calls
   on `comm`, from processes and threads of their own. It returns when the
   communicators of the rank's colour are made. One thread that drives several
   ranks puts these calls, and no others, between blinkGroupStart and
   blinkGroupEnd, once for each rank; if blinkGroupEnd returns an error, other
   colours may have their communicators all the same.

   Of `config`, which may be NULL, only timeoutMs and withoutLink are read. 0
   and NULL mean those of `comm`; "" as withoutLink means that no link of the
   machine has failed. In one process, timeoutMs is that of the first rank of
   the colour. On failure *newcomm is NULL.

   Errors: invalid argument if `color` is not a colour. Invalid usage, on all
   ranks of a colour and on no others, if there is no schedule for them or they
   name different failed links. Remote error if a rank does not call in time,
   gives up or dies; `comm` becomes unusable, too, if that happens before all
   have called. */
#define BLINK_SPLIT_NOCOLOR (-1)
BLINK_API blinkResult_t blinkCommSplit(blinkComm_t comm, int color, int key,
                                       blinkComm_t *newcomm,
                                       const blinkConfig_t *config);

/* Lets ranks exchange a few bytes through the host's memory, without a
   schedule. It is meant for decisions that all ranks must make in the same way,
   not for data. Each rank that takes part passes `bytes` bytes in `said`. `all`
   receives `bytes` times the number of these ranks: first the bytes of the
   first rank that takes part, then those of the second, and so on. The ranks of
   `comm` that are not excluded call it, each with the same list and number of
   bytes, at most BLINK_EXCHANGE_BYTES, from processes or threads of their own.
   A rank that was excluded once takes part in no later exchange. The call
   starts none of a group's calls and waits for none, and it also works when
   `comm` has become unusable.

   Errors: invalid argument as in blinkCommShrink, or if `bytes` is out of
   range; invalid usage if the ranks' numbers of bytes differ; remote error if a
   rank dies, has destroyed its communicator or does not call in time. `comm`
   stays as it is, but the ranks that did not hear from all others need not get
   the same error. */
#define BLINK_EXCHANGE_BYTES 256
BLINK_API blinkResult_t blinkCommExchange(blinkComm_t comm, const void *said,
                                          size_t bytes, void *all,
                                          const int *excludeRanks,
                                          int excludeCount);

/* Sets *result to success, to the reason why the communicator has become
   unusable, whose sentence blinkGetLastError(comm) then returns, or to
   blinkInProgress while the communicator is being made. It notices failures
   between calls, too. It is a remote error if the process of another rank has
   died, if such a process has given no sign of life from its server for
   BLINK_HEARTBEAT_MS, or if the network between two ranks is down. */
BLINK_API blinkResult_t blinkCommGetAsyncError(blinkComm_t comm,
                                               blinkResult_t *result);

/* Sets *nranks to the number of ranks of `comm`, including relays. */
BLINK_API blinkResult_t blinkCommCount(blinkComm_t comm, int *nranks);
/* Sets *rank to this rank's number in `comm`, from 0. */
BLINK_API blinkResult_t blinkCommUserRank(blinkComm_t comm, int *rank);

/* Bytes that one rank's communicator holds. Start from
   BLINK_MEMORY_INFO_INITIALIZER; `size` tells the library which fields the
   caller's header has, and tells the caller afterwards which of them were
   set. */
typedef struct {
  size_t size;
  /* On the rank's GPU, allocated in full when communicators are made. On the
     host back end, the job's memory, which takes up physical memory only once
     it is used. */
  uint64_t slots;    /* where chunks arrive, with their tags */
  uint64_t control;  /* counters of channels, and what a rank publishes for
                        others */
  uint64_t programs; /* steps of the schedules; 0 on the host, which reads them
                        in the files */
  /* In the host's memory, pinned for GPUs. */
  uint64_t staging; /* slots of channels that lead through host memory to this
                       rank, or that lead to and from it over a network */
  uint64_t job;     /* what the ranks tell each other; one for all of them */
  /* The caller's own memory: registered buffers of this rank. */
  uint64_t registered;
} blinkMemoryInfo_t;
#define BLINK_MEMORY_INFO_INITIALIZER                                          \
  {sizeof(blinkMemoryInfo_t), 0, 0, 0, 0, 0, 0}

/* Fills in *info. CUDA's own memory for contexts and kernels is not counted,
   and neither are the process's own data structures. Errors: invalid
   argument. */
BLINK_API blinkResult_t blinkCommMemory(blinkComm_t comm,
                                        blinkMemoryInfo_t *info);

/* Counts of a rank's calls, and their waits, since its communicator was made.
   Start from BLINK_STATS_INITIALIZER; `size` tells the library which fields the
   caller's header has, and tells the caller afterwards which of them were
   set. */
typedef struct {
  size_t size;
  uint64_t collectives; /* begun by the rank */
  uint64_t messages;
  /* Nanoseconds that the rank's calls spent waiting for other ranks while the
     thread that made them had nothing else to do. On GPUs only waits longer
     than two milliseconds count, once they are over. */
  uint64_t waited;
  int mostWaitedFor; /* the rank that caused most of `waited`; -1: none */
} blinkStats_t;
#define BLINK_STATS_INITIALIZER {sizeof(blinkStats_t), 0, 0, 0, 0}

/* Fills in *stats and, unless it is NULL, waitedFor[0..nranks): how much of
   `waited` each rank caused. If several lanes of a call wait for different
   ranks, the first lane's rank counts. One rank's numbers do not tell a slow
   rank from a rank that itself waits for a slow one; compare the ranks: the one
   that waits little is the one that the others wait for. May be called from any
   thread, also during a call. Errors: invalid argument. */
BLINK_API blinkResult_t blinkCommStats(blinkComm_t comm, blinkStats_t *stats,
                                       uint64_t *waitedFor);

/*===-- Operators ---------------------------------------------------------===*/

/* Makes an operator of `comm`: a sum in which this rank's contribution is first
   multiplied by a scalar. Collectives take the operator in place of blinkSum;
   every rank of such a call passes an operator of its own, with its own scalar.

   The result is that of blinkSum if each rank had first multiplied its elements
   and rounded the products to the type: integers wrap around, types of 8 and 16
   bits are multiplied as float32 and rounded to nearest even, and those of 8
   bits saturate. The result therefore has the same bits on every rank and in
   every run, too. Send buffers are not changed. Other ranks cannot read the
   products from them, so each call makes a copy that registered buffers or a
   shared address space would otherwise save.

   `scalar` is of type `type`, which is also the type of the collectives that
   the operator is for. With blinkScalarHostImmediate it is read here. With
   blinkScalarDevice it is read by each collective when that runs, in its
   stream, and by each launch of a graph. Until then it must exist, aligned to
   an element, in memory that the rank's device can reach; on the host back end
   any memory will do.

   *op is a number above those of the built-in operators. No other communicator
   of this process has the same number at the same time; the number of a
   destroyed operator may be used again. Errors: invalid argument. */
BLINK_API blinkResult_t blinkRedOpCreatePreMulSum(
    blinkRedOp_t *op, const void *scalar, blinkDataType_t type,
    blinkScalarResidence_t residence, blinkComm_t comm);

/* Destroys an operator of `comm`. Collectives that were called with it go on,
   including those of a group that has not ended. Destroying the communicator
   destroys its remaining operators; the communicator that blinkCommShrink makes
   has none. Errors: invalid argument if the operator was not made with `comm`,
   or is already destroyed. */
BLINK_API blinkResult_t blinkRedOpDestroy(blinkRedOp_t op, blinkComm_t comm);

/*===-- Buffers -----------------------------------------------------------===*/

/* Allocates at least `bytes` of memory for buffers, which ranks in other
   processes can access directly once they are registered. The memory is the
   caller's, to be used like any other.

   In a thread that has made a GPU current (cudaSetDevice), or has used one, it
   is memory of that GPU, like ncclMemAlloc's: accessible to this GPU and to all
   that reach it, with undefined contents. Before CUDA 12, cudaSetDevice alone
   does not count. In any other thread, and in a build without CUDA, it is host
   memory for the host back end: zeroed, aligned to a page, and shared by parent
   and child after fork().

   All other memory works, too, at the price of one more copy on the host or by
   the kernel. Errors: invalid argument if `bytes` is 0; system error if memory
   or file descriptors run out. */
BLINK_API blinkResult_t blinkMemAlloc(void **memory, size_t bytes);

/* Frees memory of blinkMemAlloc, from any thread. No collective that uses it
   may be under way. `memory` may be NULL. Errors: invalid argument if it is not
   memory of blinkMemAlloc; invalid usage while some of it is registered, unless
   no other process could use it. */
BLINK_API blinkResult_t blinkMemFree(void *memory);

/* Registers a buffer, so that other ranks can access it directly where data
   would otherwise go through slots: on GPUs they write results there and read
   inputs, on the host they only read.

   This is a call of one rank, at any time, with a buffer of any size; the
   others need not call it or wait. Calls that begin afterwards use the buffer.
   Across processes, they use it once all ranks that have a channel with this
   one have mapped it; a thread of each such process does that, some tenths of a
   millisecond after the process's first call since. Until then, and if one of
   them cannot map it, chunks go through slots, with the same results. A rank
   can have at most 1024 buffers registered at a time across processes. In one
   process the call does nothing on the host; on several GPUs it gives the GPUs
   that have a channel with this rank's access to the buffer.

   On GPUs it takes memory of cudaMalloc and blinkMemAlloc. It also takes memory
   of pools (cudaMallocAsync) and of cuMemCreate that was made with handles for
   file descriptors, and memory of cuMemCreate with fabric handles, such as
   PyTorch's expandable segments. Memory without such handles works in one
   process only. On the host, registering helps calls whose buffers, as far as
   they are used, all lie within registered ones, in memory of blinkMemAlloc;
   registering other memory is allowed and does nothing.

   Errors: invalid argument if the buffer is not GPU memory that others can use,
   or not all of it is; invalid usage if there are too many; system error. */
BLINK_API blinkResult_t blinkCommRegister(blinkComm_t comm, void *buffer,
                                          size_t bytes, void **handle);

/* Ends the registration; this, too, is a call of one rank. It waits for this
   rank's calls that are under way. Launches of graphs are an exception: none
   that uses the buffer may be under way. Other ranks may be some calls behind.
   The function returns when no other process has the buffer mapped, which does
   not take long; then the buffer may be freed. A graph that was captured with
   the buffer may still be launched later, as long as the memory exists: its
   chunks then go through slots. `handle` may be NULL.

   Errors: invalid argument if `handle` is not a handle; remote error if a
   process has not unmapped the buffer in time, for example because it is
   stopped: the memory must then stay allocated, and the call may be repeated. A
   process that has died does not have the buffer mapped any more. */
BLINK_API blinkResult_t blinkCommDeregister(blinkComm_t comm, void *handle);

/*===-- Collectives -------------------------------------------------------===*/
/* Every rank calls the same collectives in the same order with the same count,
   type, operator and root. Counts are in elements. Buffers are aligned to the
   size of an element. They either do not overlap or are the same (in place):
   send == recv; for blinkAllGather and, at the root, blinkGather send == recv +
   rank * sendcount; for blinkReduceScatter and, at the root, blinkScatter recv
   == send + rank * recvcount. There is no blinkAllToAll in place.

   On the host a call outside a group returns when this rank's part is done and
   its buffers may be used again. Count 0 does nothing.

   Errors: invalid argument, or invalid usage if no program fits: nothing is
   run, and the communicator remains usable. Invalid usage if the ranks' calls
   differ: within one group nothing is run; otherwise a rank finds out when data
   of another call arrives, and all communicators become unusable. Remote error
   if a rank does not call in time, gives up or dies: all communicators become
   unusable in this case, too. Buffers that were being written then hold nothing
   of use; destroy the communicators. */

/* Reduces `count` elements of every rank; all ranks get the result in `recv`.
 */
BLINK_API blinkResult_t blinkAllReduce(const void *send, void *recv,
                                       size_t count, blinkDataType_t type,
                                       blinkRedOp_t op, blinkComm_t comm,
                                       blinkStream_t stream);

/* Copies `count` elements from `send` on rank `root` to `recv` on all ranks.
   `send` is read on rank `root` only, and may be NULL elsewhere. */
BLINK_API blinkResult_t blinkBroadcast(const void *send, void *recv,
                                       size_t count, blinkDataType_t type,
                                       int root, blinkComm_t comm,
                                       blinkStream_t stream);

/* Reduces `count` elements of every rank; rank `root` gets the result. `recv`
   is written on rank `root` only, and may be NULL elsewhere. */
BLINK_API blinkResult_t blinkReduce(const void *send, void *recv, size_t count,
                                    blinkDataType_t type, blinkRedOp_t op,
                                    int root, blinkComm_t comm,
                                    blinkStream_t stream);

/* Gathers `sendcount` elements of every rank, in the order of ranks, on all
   ranks. `recv` holds nranks * sendcount elements. */
BLINK_API blinkResult_t blinkAllGather(const void *send, void *recv,
                                       size_t sendcount, blinkDataType_t type,
                                       blinkComm_t comm, blinkStream_t stream);

/* Reduces nranks * recvcount elements of every rank; rank r gets the r-th
   `recvcount` elements of the result. `send` holds nranks * recvcount
   elements. */
BLINK_API blinkResult_t blinkReduceScatter(const void *send, void *recv,
                                           size_t recvcount,
                                           blinkDataType_t type,
                                           blinkRedOp_t op, blinkComm_t comm,
                                           blinkStream_t stream);

/* Gathers `sendcount` elements of every rank, in the order of ranks, on rank
   `root`. `recv` holds nranks * sendcount elements. It is written on rank
   `root` only, and may be NULL elsewhere. */
BLINK_API blinkResult_t blinkGather(const void *send, void *recv,
                                    size_t sendcount, blinkDataType_t type,
                                    int root, blinkComm_t comm,
                                    blinkStream_t stream);

/* Sends the r-th `recvcount` elements of `send` on rank `root` to rank r.
   `send` holds nranks * recvcount elements. It is read on rank `root` only, and
   may be NULL elsewhere. */
BLINK_API blinkResult_t blinkScatter(const void *send, void *recv,
                                     size_t recvcount, blinkDataType_t type,
                                     int root, blinkComm_t comm,
                                     blinkStream_t stream);

/* Sends the r-th `count` elements of `send` to rank r, and receives the r-th
   `count` elements of `recv` from it. Both buffers hold nranks * count
   elements. */
BLINK_API blinkResult_t blinkAllToAll(const void *send, void *recv,
                                      size_t count, blinkDataType_t type,
                                      blinkComm_t comm, blinkStream_t stream);

/*===-- Messages ----------------------------------------------------------===*/
/* Point-to-point messages over the paths of a schedule of sendrecv. Messages
   from one rank to another arrive in the order of their calls; sender and
   receiver pass the same count and type. Other ranks take no part. A message
   may overtake messages of other pairs, and collectives. Between
   blinkGroupStart and blinkGroupEnd all messages proceed at the same time: an
   exchange of any pattern and with any counts, such as an alltoall of uneven
   parts, is a group of messages. Outside a group, two ranks that both receive
   before they send wait for each other, and so do two that both send first,
   except short messages on the host.

   On the host blinkSend returns when `send` may be used again, possibly before
   the message has been received. The first message to or from a rank allocates
   memory. A rank can send to itself only in a group that also receives the
   message. Count 0 does nothing, and no rank waits for it. On GPUs the calls
   return when the messages are in their streams. Those of a group are one
   kernel, or several if a device has more than 31 ends of messages, and run
   beside the group's collectives.

   Errors: as of collectives. Invalid usage if the two calls differ, which the
   receiver finds out; remote error if the other rank does not call in time,
   gives up or dies. All communicators become unusable in both cases. Invalid
   usage, with nothing started, if ranks that share a GPU and call separately
   may have more lanes there than fit, with those of messages. */

/* Sends `count` elements to rank `peer`. */
BLINK_API blinkResult_t blinkSend(const void *send, size_t count,
                                  blinkDataType_t type, int peer,
                                  blinkComm_t comm, blinkStream_t stream);

/* Receives `count` elements from rank `peer`. */
BLINK_API blinkResult_t blinkRecv(void *recv, size_t count,
                                  blinkDataType_t type, int peer,
                                  blinkComm_t comm, blinkStream_t stream);

/* Sets *arrived to 1 if the next message from `peer` has that count and type
   and has begun to arrive, so that blinkRecv would not have to wait for the
   other rank's call, and to 0 otherwise. Does not wait, except for a thread
   that is receiving from `peer`. Errors: as of blinkRecv; invalid usage on
   GPUs, where messages arrive in streams. */
BLINK_API blinkResult_t blinkProbe(size_t count, blinkDataType_t type, int peer,
                                   blinkComm_t comm, int *arrived);

/*===-- Groups ------------------------------------------------------------===*/

/* Between blinkGroupStart and blinkGroupEnd this thread's calls of collectives
   are only collected; blinkGroupEnd runs them together and returns when all are
   done, on GPUs when they are in their streams. In this way one thread drives
   several ranks. Calls on one communicator keep their order. blinkCommInitRank,
   blinkCommShrink and blinkCommSplit can be grouped in the same way, in groups
   of their own: mixing them, or mixing them with collectives, is invalid usage.
   Groups nest; the outermost end runs the calls. If a collective in the group
   was refused, blinkGroupEnd runs none and returns that error. Between the two
   functions a communicator must not be destroyed, but may be aborted. Errors of
   blinkGroupEnd: invalid usage without a start; otherwise the first error among
   the calls. */
BLINK_API blinkResult_t blinkGroupStart(void);
BLINK_API blinkResult_t blinkGroupEnd(void);

/* Ends a group like blinkGroupEnd, but runs nothing and keeps nothing of the
   group. For the outermost group, *microseconds becomes the time that its calls
   would take as their schedules estimate it, which ignores whatever else the
   machine does. For a group within another one it becomes 0, because the outer
   group's end decides.

   The estimate is the time of the communicator that takes longest. The times of
   a communicator's collectives are added up. So are those of the messages that
   it sends, and those of the messages that it receives; the longer of these two
   sums counts. Every message counts as if it went between the two ranks for
   which such a message takes longest. A message to the rank itself, and any
   call with count 0, takes no time. The ranks' calls are not compared with each
   other.

   Errors: as of blinkGroupEnd, as far as it finds them before it runs anything.
   Invalid usage if a schedule has no times, because it was made before Blink
   wrote them, or if the group makes communicators: none is made then. On an
   error *microseconds is unchanged. */
BLINK_API blinkResult_t blinkGroupSimulateEnd(double *microseconds);

#ifdef __cplusplus
}
#endif

#endif /* BLINK_RUNTIME_BLINK_H */
