//===- home.pml - a model of slots that several readers share -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Models what shared slots (runtime/host/TransferPlan.h) add to the rings of
// ring.pml: a chunk that goes to several readers lies in a slot of one ring,
// its home; the readers of the other rings are told where. There are one writer
// and two readers, and ring 0 is the home. pan tries every number of chunks and
// every kind for each call. Kinds:
//
//   SHARED    both readers get the chunk, from the home's slot
//   ALONE     only reader 0 gets the chunk, in another layout of its ring
//   BORROWED  both readers fetch the chunk from the writer's buffer, each into
//             the slot of its own ring
//
// Checked by assertions: no process writes to a slot that a reader has still to
// read, and a reader finds the chunk that it expects. Checked by pan: no
// process waits for ever. A word is seen as soon as it is stored: ring.pml
// covers the effects of relaxed memory, and this model uses the words as
// ring.pml does.
//
// Parameters, as -D:
//   SLOTS_HOME, SLOTS_OTHER  slots of the rings in calls of SHARED or BORROWED
//   SLOTS_ALONE              slots of ring 0 in calls of kind ALONE
//   CALLS, CHUNKS            number of calls; most chunks of one
//   MUTATE_NO_GATE           a writer whose call is not SHARED after one that
//                            was does not wait until reader 1 has read its
//                            chunks in the home's slots
//
//===----------------------------------------------------------------------===//

#ifndef SLOTS_HOME
#define SLOTS_HOME 2
#endif
#ifndef SLOTS_OTHER
#define SLOTS_OTHER 2
#endif
#ifndef SLOTS_ALONE
#define SLOTS_ALONE 3
#endif
#ifndef CALLS
#define CALLS 3
#endif
#ifndef CHUNKS
#define CHUNKS 2
#endif

#define SHARED 0
#define ALONE 1
#define BORROWED 2

#define slotsOf(r, k) ((k) == ALONE -> SLOTS_ALONE : ((r) == 0 -> SLOTS_HOME : SLOTS_OTHER))
#define layoutOf(k) ((k) == ALONE -> 2 : 1)

byte kind[CALLS];
byte chunks[CALLS];

/* For each ring: chunks announced and chunks freed, since the beginning. */
byte filled[2];
byte freed[2];

/* For each cell of the home's memory: the chunk that it holds, counted from 1
   (0: none), and whether each reader has still to read it. */
byte holds[3];
bool awaited[6]; /* cell times 2, plus the reader */

#define isRead(cell) (!awaited[2 * (cell)] && !awaited[2 * (cell) + 1])

proctype Writer() {
  byte call, chunk, number[2], layout[2], gate, cell;
  do
  :: call < CALLS ->
#ifndef MUTATE_NO_GATE
    if
    :: call > 0 && kind[call - 1] == SHARED && kind[call] != SHARED ->
      gate = number[1]
    :: else
    fi;
#endif
    do
    :: chunk < chunks[call] ->
      /* Blocks until the slots of all operands may be written to. */
      atomic {
        freed[1] >= gate &&
        freed[0] + slotsOf(0, kind[call]) > number[0] &&
        (layout[0] == layoutOf(kind[call]) || freed[0] == number[0]) &&
        (kind[call] == ALONE || freed[1] + SLOTS_OTHER > number[1])
      };
      if
      :: kind[call] == BORROWED
      :: else -> d_step {
          cell = number[0] % slotsOf(0, kind[call]);
          assert(isRead(cell));
          holds[cell] = number[0] + 1;
          awaited[2 * cell] = true;
          awaited[2 * cell + 1] = kind[call] == SHARED;
          cell = 0
        }
      fi;
      layout[0] = layoutOf(kind[call]);
      number[0]++;
      filled[0] = number[0];
      if
      :: kind[call] != ALONE -> number[1]++; filled[1] = number[1]
      :: else
      fi;
      chunk++
    :: else -> break
    od;
    chunk = 0;
    call++
  :: else -> break
  od
}

/* `number` counts the chunks of the reader's own ring, `home` those of the
   home. For reader 1, `home` may be ahead of `number`: it gets no chunks of
   calls of kind ALONE. */
proctype Reader(byte self) {
  byte call, chunk, number, home, cell;
  do
  :: call < CALLS ->
    do
    :: chunk < chunks[call] ->
      if
      :: self == 1 && kind[call] == ALONE
      :: else ->
        filled[self] > number;
        cell = (kind[call] == BORROWED -> number % slotsOf(self, kind[call]) :
                                      home % slotsOf(0, kind[call]));
        if
        :: kind[call] == BORROWED && self == 0 ->
          /* Fetches into its own slot: all readers must have read that. */
          d_step { assert(isRead(cell)); holds[cell] = 0; cell = 0 }
        :: kind[call] == BORROWED && self == 1 -> cell = 0
        :: else -> d_step {
            assert(holds[cell] == home + 1);
            awaited[2 * cell + self] = false;
            cell = 0
          }
        fi;
        number++;
        freed[self] = number
      fi;
      home++;
      chunk++
    :: else -> break
    od;
    chunk = 0;
    call++
  :: else -> break
  od
}

init {
  byte i, n;
  for (i : 0 .. CALLS - 1) {
    select(n : 0 .. CHUNKS);
    chunks[i] = n;
    select(n : 0 .. 2);
    kind[i] = n
  }
  atomic {
    run Writer();
    run Reader(0);
    run Reader(1)
  }
}
