//===- ring.pml - a model of the protocol of a ring of slots --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The protocol of runtime/core/Ring.h in Promela: `spin` goes through every
// order of events of small cases. check-ring.sh beside this file runs it.
//
// One writer and one reader of a ring make a few calls one after the other; or,
// with PAIR, two ranks make allreduces: the leaf sends its chunks up, the root
// folds them with its own and sends the results down. pan tries, for each call,
// every number of chunks, every size of them and both variants (see
// chooseCalls). The variants differ in the number of slots and in the size of a
// slot, and use the same memory. The chunks of a call may be smaller than its
// variant's slots.
//
// Checked by assertions: a reader never reads a cell that is not the expected
// chunk's; a writer never writes to a cell that is still to be read; the first
// chunk of another layout finds the ring empty; ranks that make the same calls
// never see the signature of another call; every chunk that is sent arrives.
// Checked by pan: no lane waits for ever (invalid end states), and, if LIVENESS
// is defined, every run ends although lanes poll: `ltl everyRunEnds`, under
// weak fairness.
//
// Relaxed memory is modelled in two parts:
//
// - Words (tags and `freed`) are not seen as soon as they are stored. The
//   process Wires carries each word over by itself, at any later time. Thus
//   words arrive in any order; a value may be skipped, but an older value never
//   comes back.
//
// - Data have no delay of their own. Instead, the model counts the chunks that
//   each side may rely on. A release sends along the count that its side has
//   reached, an acquire takes that count over, and each access to a cell
//   asserts that the other side's last access to it is within the count taken
//   over. This is the definition of a data race of the C++ memory model, for
//   two threads. It needs no list of the reorderings that a machine might do,
//   and it is stricter than a model with a store buffer: it also finds a load
//   that may take place after the release that follows it, and a missing
//   acquire that does no harm on any known machine.
//
// Not in the model: direct and borrowed channels (told.pml has their words),
// low latency lines, lanes of several threads, and calls that differ between
// ranks.
//
// Parameters, as -D:
//   SLOTS_A, SLOTS_B  slots of the two variants, 1 to 3
//   CELLS_A, CELLS_B  cells of a slot: a fold may be interrupted between cells.
//                     A call's chunks have as many cells, or fewer
//   CALLS, CHUNKS     number of calls; most chunks of a call (fewer are tried)
//   FIXED             every call has CHUNKS chunks that fill their slots, and
//                     variants take turns
//   TAG_BITS          bits of a chunk's number in a tag: 40 in the runtime, at
//                     most 6 here. Too few bits to count all chunks are allowed
//                     only if SLOTS_A == SLOTS_B: otherwise a slot that only
//                     one variant has may still hold a tag from before the
//                     wrap.
//   PAIR              two ranks and two rings
//   LEAF_LANES        1: the leaf sends and receives in one lane; 2: in two
//   ABORT             the abort word may be set at any time, or a lane may lose
//                     patience and set it
//   LIVENESS          lanes poll, and pan checks that every run ends
//   MUTATE_...        mistakes that pan has to find; see where each is used
//
//===----------------------------------------------------------------------===//

#ifndef SLOTS_A
#define SLOTS_A 2
#endif
#ifndef SLOTS_B
#define SLOTS_B 3
#endif
#ifndef CELLS_A
#define CELLS_A 2
#endif
#ifndef CELLS_B
#define CELLS_B 1
#endif
#ifndef CALLS
#define CALLS 3
#endif
#ifndef CHUNKS
#define CHUNKS 3
#endif
#ifndef TAG_BITS
#define TAG_BITS 6
#endif
#ifndef LEAF_LANES
#define LEAF_LANES 2
#endif

#ifdef PAIR
#define RINGS 2
#define LANES (1 + LEAF_LANES)
#else
#define RINGS 1
#define LANES 2
#endif

#define HEADS 3 /* most slots */
#define MEMORY 6 /* most slots times most cells */

/* A variant is 0 or 1; it serves as the call's signature too. */
#define slotsOf(v) ((v) == 0 -> SLOTS_A : SLOTS_B)
#define cellsOf(v) ((v) == 0 -> CELLS_A : CELLS_B)
#ifdef MUTATE_SLOT_OF_CALL /* slots are as large as the chunks of the call */
#define strideOf(v) cells[call]
#else
#define strideOf(v) cellsOf(v)
#endif
#define cellAt(v, n, c) (((n) % slotsOf(v)) * strideOf(v) + (c))

#define numberBits(n) (((n) + 1) & ((1 << TAG_BITS) - 1))
#define makeTag(n, signature) (numberBits(n) * 2 + (signature))
#define holdsChunk(tag, n) ((tag) / 2 == numberBits(n))

/* The protocol itself has only the tags, `freed`, the numbers, `layout` and
   `freedSeen`; the other fields are for the assertions. Counts are of chunks
   since the beginning. */
typedef Ring {
  /* The words as stored by one side, and as the other side sees them now. */
  byte tagStored[HEADS];
  byte tag[HEADS];
  byte freedStored;
  byte freed;
  /* The count that a word's release sent along: how far its side had come. */
  byte tagStoredView[HEADS];
  byte tagView[HEADS];
  byte freedStoredView;
  byte freedView;

  /* The chunk that a cell is part of, counted from 1; 0: nothing yet. */
  byte cell[MEMORY];

  /* State of the writer. */
  byte writeNumber;
  byte layout; /* the variant of the last chunk, plus 1 */
  byte freedSeen;
  byte written;
  byte knowsRead; /* chunks whose reading the writer may rely on */

  /* State of the reader. */
  byte readNumber;
  byte read;
  byte knowsWritten; /* chunks whose writing the reader may rely on */
}

Ring ring[RINGS];

byte variant[CALLS];
byte chunks[CALLS];
byte cells[CALLS]; /* of a chunk */

bool aborted; /* the abort word */
byte ended[LANES]; /* calls that a lane has finished */
byte running = LANES;

//===-- Waiting -----------------------------------------------------------===//

/* Waits until `ready`, then does `take`. Blocks if pan looks for invalid end
   states, which polling would hide; polls if pan looks for runs that never
   end. */
#ifdef LIVENESS
#define LOOK(ready, take)                                                      \
  do                                                                           \
  :: atomic { ready -> take; break }                                           \
  :: !(ready) && !LOOK_AT_ABORT -> skip /* look again */                       \
  GIVE_UP(ready)                                                               \
  od
#else
#define LOOK(ready, take)                                                      \
  if                                                                           \
  :: atomic { ready -> take }                                                  \
  GIVE_UP(ready)                                                               \
  fi
#endif

/* A lane looks at the abort word only while it waits. Only one lane may lose
   patience: the other lanes have to end because it tells them. */
#ifndef ABORT
#define GIVE_UP(ready)
#else
#define GIVE_UP(ready)                                                         \
  :: LOOK_AT_ABORT -> goto stopped                                             \
  :: atomic { !(ready) && patient -> patient = false; TELL; goto stopped }
bool patient = true;
#endif

/* The mutation: lanes do not look at the abort word. */
#if !defined(ABORT) || defined(MUTATE_NO_ABORT)
#define LOOK_AT_ABORT false
#else
#define LOOK_AT_ABORT aborted
#endif

#ifdef MUTATE_SILENT /* a lane that gives up does not tell the others */
#define TELL skip
#else
#define TELL aborted = true
#endif

//===-- The writer --------------------------------------------------------===//

#ifdef MUTATE_NO_RELEASE /* the tag is a relaxed store */
#define TAG_VIEW(r) 0
#else
#define TAG_VIEW(r) ring[r].written
#endif

#ifdef MUTATE_NO_ACQUIRE_FREED /* `freed` is loaded relaxed */
#define TAKE_FREED(r) skip
#else
#define TAKE_FREED(r)                                                          \
  ring[r].knowsRead = (ring[r].freedView > ring[r].knowsRead ->                \
                       ring[r].freedView : ring[r].knowsRead)
#endif

#ifdef MUTATE_NO_DRAIN /* a change of layout does not wait for an empty ring */
#define newLayout(r, v) false
#else
#define newLayout(r, v) (ring[r].layout != (v) + 1)
#endif

#ifdef MUTATE_ONE_TOO_MANY /* freed >= n - slots */
#define CREDITS(v) (slotsOf(v) + 1)
#else
#define CREDITS(v) slotsOf(v)
#endif

#define freedNeeded(r, v)                                                      \
  (newLayout(r, v) -> ring[r].writeNumber :                                    \
   (ring[r].writeNumber + 1 > CREDITS(v) ->                                    \
    ring[r].writeNumber + 1 - CREDITS(v) : 0))

/* Like the host's writers, loads `freed` only if the value seen last is too
   small. The writer thus has the oldest view that the protocol allows. */
inline waitForSlot(r, v) {
#ifndef MUTATE_NO_CREDIT /* the writer does not wait */
  if
  :: ring[r].freedSeen >= freedNeeded(r, v)
  :: else ->
    LOOK(ring[r].freed >= freedNeeded(r, v),
         ring[r].freedSeen = ring[r].freed; TAKE_FREED(r))
  fi;
#endif
  assert(ring[r].layout == v + 1 || ring[r].read == ring[r].written)
}

inline fill(r, v) {
  do
  :: d_step {
      c < cells[call] ->
      at = cellAt(v, ring[r].writeNumber, c);
      /* The chunk that lies there has been read ... */
      assert(ring[r].cell[at] <= ring[r].read);
      /* ... and its reading happened before this. */
      assert(ring[r].cell[at] <= ring[r].knowsRead);
      ring[r].cell[at] = ring[r].written + 1;
      at = 0;
      c++
    }
  :: d_step { c == cells[call] -> c = 0 } break
  od
}

inline announceChunk(r, v) {
  d_step {
    at = ring[r].writeNumber % slotsOf(v);
    ring[r].written++;
    ring[r].tagStored[at] = makeTag(ring[r].writeNumber, v);
    ring[r].tagStoredView[at] = TAG_VIEW(r);
    at = 0;
    ring[r].layout = v + 1;
    ring[r].writeNumber++
  }
}

//===-- The reader --------------------------------------------------------===//

#ifdef MUTATE_NO_RELEASE_FREED /* `freed` is a relaxed store */
#define FREED_VIEW(r) 0
#else
#define FREED_VIEW(r) ring[r].read
#endif

#ifdef MUTATE_NO_ACQUIRE /* the tag is loaded relaxed */
#define TAKE_TAG(r, h) skip
#else
#define TAKE_TAG(r, h)                                                         \
  ring[r].knowsWritten = (ring[r].tagView[h] > ring[r].knowsWritten ->        \
                          ring[r].tagView[h] : ring[r].knowsWritten)
#endif

#define readHead(r, v) (ring[r].readNumber % slotsOf(v))

inline waitForChunk(r, v) {
  LOOK(holdsChunk(ring[r].tag[readHead(r, v)], ring[r].readNumber),
       TAKE_TAG(r, readHead(r, v)));
  /* The signature comes from a second load of the tag. */
  assert(ring[r].tag[readHead(r, v)] == makeTag(ring[r].readNumber, v))
}

inline readSlot(r, v) {
  do
  :: d_step {
      c < cells[call] ->
      at = cellAt(v, ring[r].readNumber, c);
      /* It is the expected chunk ... */
      assert(ring[r].cell[at] == ring[r].read + 1);
      /* ... and its writing happened before this. */
      assert(ring[r].cell[at] <= ring[r].knowsWritten);
      at = 0;
      c++
    }
  :: d_step { c == cells[call] -> c = 0 } break
  od
}

inline announceFreed(r) {
  d_step {
    ring[r].read++;
    ring[r].readNumber++;
    ring[r].freedStored = ring[r].readNumber;
    ring[r].freedStoredView = FREED_VIEW(r)
  }
}

//===-- Folds -------------------------------------------------------------===//

inline send(r, v) {
  waitForSlot(r, v);
  fill(r, v);
  announceChunk(r, v)
}

inline receive(r, v) {
  waitForChunk(r, v);
#ifdef MUTATE_EARLY_FREED /* the slot is handed back before it is read */
  d_step {
    ring[r].freedStored = ring[r].readNumber + 1;
    ring[r].freedStoredView = ring[r].read
  }
#endif
  readSlot(r, v);
  announceFreed(r)
}

/* Waits for all operands, sources first, then folds, then announces all. */
inline forward(from, to, v) {
  waitForChunk(from, v);
  waitForSlot(to, v);
  readSlot(from, v);
  fill(to, v);
  announceFreed(from);
  announceChunk(to, v)
}

//===-- Lanes -------------------------------------------------------------===//

#ifdef MUTATE_RESET_COUNTERS /* each call counts its chunks from 0 */
#define RESET_WRITER(r) ring[r].writeNumber = 0
#define RESET_READER(r) ring[r].readNumber = 0
#else
#define RESET_WRITER(r) skip
#define RESET_READER(r) skip
#endif

/* The body of every lane: does its steps for each chunk of each call. A lane
   that gives up leaves the loop by a jump to its label `stopped`. */
#define FOR_EACH_CHUNK(start, steps)                                           \
  do                                                                           \
  :: call < CALLS ->                                                           \
    start;                                                                     \
    do                                                                         \
    :: chunk < chunks[call] -> steps; chunk++                                  \
    :: else -> break                                                           \
    od;                                                                        \
    atomic { chunk = 0; call++; ended[self] = call }                           \
    END_OF_CALL                                                                \
  :: else -> break                                                             \
  od

/* A rank's next call begins when all its lanes have ended the last one. */
#if defined(PAIR) && LEAF_LANES == 2
#define END_OF_CALL ; LOOK(self == 0 || ended[3 - self] >= call, skip)
#else
#define END_OF_CALL
#endif

proctype Sender(byte self; byte r) {
  byte call, chunk, c, at;
  FOR_EACH_CHUNK(RESET_WRITER(r), send(r, variant[call]));
stopped:
  running--
}

proctype Receiver(byte self; byte r) {
  byte call, chunk, c, at;
  FOR_EACH_CHUNK(RESET_READER(r), receive(r, variant[call]));
  assert(ring[r].read == ring[r].written);
stopped:
  running--
}

#ifdef PAIR
#define UP 0
#define DOWN 1

proctype Root(byte self) {
  byte call, chunk, c, at;
  FOR_EACH_CHUNK(RESET_READER(UP); RESET_WRITER(DOWN),
                 forward(UP, DOWN, variant[call]));
  assert(ring[UP].read == ring[UP].written);
stopped:
  running--
}

/* Receives chunk k before it sends chunk k + 1. */
proctype Leaf(byte self) {
  byte call, chunk, c, at;
  FOR_EACH_CHUNK(RESET_WRITER(UP); RESET_READER(DOWN),
                 send(UP, variant[call]); receive(DOWN, variant[call]));
  assert(ring[DOWN].read == ring[DOWN].written);
stopped:
  running--
}
#endif

//===-- The rest of the world ---------------------------------------------===//

#define CARRY_FULL(r, h)                                                       \
  :: d_step {                                                                  \
      ring[r].tag[h] != ring[r].tagStored[h] ->                              \
      ring[r].tag[h] = ring[r].tagStored[h];                                 \
      ring[r].tagView[h] = ring[r].tagStoredView[h]                          \
    }
#define CARRY_FREED(r)                                                         \
  :: d_step {                                                                  \
      ring[r].freed != ring[r].freedStored ->                                  \
      ring[r].freed = ring[r].freedStored;                                     \
      ring[r].freedView = ring[r].freedStoredView                              \
    }
#define CARRY(r)                                                               \
  CARRY_FULL(r, 0) CARRY_FULL(r, 1) CARRY_FULL(r, 2) CARRY_FREED(r)

proctype Wires() {
end:
  do
  CARRY(0)
#ifdef PAIR
  CARRY(1)
#endif
  od
}

#ifdef ABORT
/* Another lane of the job, or the host: it may set the abort word. */
proctype Others() {
  if
  :: TELL
  :: skip
  fi
}
#endif

/* All ranks make the same calls: these are chosen once. */
inline chooseCalls() {
  byte i, n;
  for (i : 0 .. CALLS - 1) {
#ifdef FIXED
    variant[i] = i % 2;
    chunks[i] = CHUNKS;
    cells[i] = cellsOf(variant[i]);
#else
    select(n : 0 .. CHUNKS);
    chunks[i] = n;
    if
    :: variant[i] = 0
    :: variant[i] = 1
    fi;
    select(n : 1 .. cellsOf(variant[i]));
    cells[i] = n
#endif
  }
  i = 0;
  n = 0
}

init {
  atomic {
    chooseCalls();
#ifndef PAIR
    run Sender(0, 0);
    run Receiver(1, 0);
#elif LEAF_LANES == 2
    run Root(0);
    run Sender(1, UP);
    run Receiver(2, DOWN);
#else
    run Root(0);
    run Leaf(1);
#endif
    run Wires();
#ifdef ABORT
    run Others()
#endif
  }
}

#ifdef LIVENESS
ltl everyRunEnds { <> (running == 0) }
#endif
