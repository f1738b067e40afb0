//===- home.pml - a model of slots that several readers share -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What shared slots (runtime/host/TransferPlan.h) add to the rings of ring.pml: a
// chunk that goes to several readers lies in a slot of one ring, its home, and
// the others are told where. One writer, two readers; ring 0 is the home. How
// many chunks a call has and of which kind it is is open. Kinds:
//
//   SHARED    both readers get the chunk, from the home's slot
//   ALONE     only reader 0 gets one, in another layout of its ring
//   BORROWED  both readers fetch the chunk from the writer's buffer, each into
//             the slot of its own ring
//
// Checked by assertions: nobody writes to a slot that somebody has still to
// read, and who reads finds the chunk that he expects. Checked by pan: nobody
// waits for ever. Words are seen when they are stored: what relaxed memory does
// to a ring, ring.pml looks at, and no word is used in another way here.
//
// Parameters, as -D:
//   SLOTS_HOME, SLOTS_OTHER  slots of the rings in calls of SHARED or BORROWED
//   SLOTS_ALONE              slots of ring 0 in calls of kind ALONE
//   CALLS, CHUNKS            number of calls; most chunks of one
//   MUTATE_NO_GATE           who changes the kind does not wait for the readers
//                            of slots of other rings
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

/* Of each ring: chunks announced and chunks freed, since the beginning. */
byte filled[2];
byte freed[2];

/* Of the home's memory: what each cell holds, and who has still to read it. */
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
      /* Blocks until it may write to the slots of all operands. */
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

/* Of reader 1, chunk numbers of the home run ahead of its own: `home` counts
   those. */
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
          /* Into its own slot, which others must have done with. */
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
