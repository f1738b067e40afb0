//===- told.pml - a model of buffers that the other side accesses ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Models what runtime/cuda/LaneCall.h states, for one ring. In a direct channel
// the reader tells the writer where its output is; in a borrowed channel the
// writer tells the reader where its input is. Either may say instead that the
// buffer cannot be reached. Chunks bypass the slots if it can be reached, and
// go through them if not. pan tries, for each call, every role of the channel
// (in role `plain` neither side tells anything), a buffer that can be reached
// and one that cannot, and every number of chunks.
//
// Checked by assertions: when the writer writes to the reader's output, or the
// reader reads the writer's input, both are in the same call; a place that is
// taken over is that of the current call; a reader never reads a slot that does
// not hold its chunk, and a writer never writes to a slot that is still to be
// read. Checked by pan: no process waits for ever.
//
// As in ring.pml, each word (tags, `freed`, places and their tags) is carried
// over by itself, at any later time; but a tag brings along the place that was
// stored before it.
//
// Parameters, as -D:
//   CALLS, CHUNKS, SLOTS  number of calls; most chunks of a call; slots
//   MUTATE_NO_DRAIN       a writer tells where its input is before the reader
//                         has read all chunks of earlier calls
//   MUTATE_NO_LAST        a reader of a direct channel does not wait until the
//                         last chunk has been written
//   MUTATE_NO_READER      a writer does not wait until its input has been read
//   MUTATE_NO_FREED       a reader of direct chunks does not count them in
//                         `freed`
//
//===----------------------------------------------------------------------===//

#ifndef CALLS
#define CALLS 3
#endif
#ifndef CHUNKS
#define CHUNKS 3
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

mtype = { plain, direct, borrowed };
mtype role[CALLS];
bool open[CALLS]; /* whether the other side can reach the buffer */
byte chunks[CALLS];

/* A word as one side has stored it, and as the other side sees it. */
typedef Word { byte stored; byte seen }
typedef Told {
  Word tag;   /* the number of the call's first chunk, plus 1 */
  Word place; /* the call, counted from 1, times 2, and whether it is open */
  byte behind; /* the place as it was when the tag was stored */
}
Word tag[SLOTS]; /* the number of the chunk, plus 1 */
Word freed;
Told toWriter, toReader;

byte slot[SLOTS];    /* the chunk that lies there, plus 1 */
byte writerIn, readerIn; /* the call that each is in, from 1; 0: in none */
byte read; /* chunks that the reader has taken out of slots or counted */
byte ended;

#define placeOf(c) ((c) * 2 + open[c - 1])

inline tell(told, number, c) {
  told.place.stored = placeOf(c);
  d_step { told.tag.stored = number + 1; told.behind = told.place.stored }
}
inline listen(told, number, c) {
  told.tag.seen == number + 1;
  assert(told.place.seen == placeOf(c))
}

proctype Writer() {
  byte c = 1, number, k;
  do
  :: c <= CALLS ->
    atomic { writerIn = c; k = 0 };
    if
    :: role[c - 1] == borrowed ->
#ifndef MUTATE_NO_DRAIN
      freed.seen >= number;
#endif
      tell(toReader, number, c)
    :: role[c - 1] == direct -> listen(toWriter, number, c)
    :: else
    fi;
    if
    :: role[c - 1] == borrowed && open[c - 1] ->
      number = number + chunks[c - 1];
#ifndef MUTATE_NO_READER
      freed.seen >= number
#endif
    :: role[c - 1] == direct && open[c - 1] ->
      do
      :: k < chunks[c - 1] ->
        assert(readerIn == c); /* the reader's output is valid */
        k++;
        number++
      :: else -> break
      od;
      tag[(number - 1) % SLOTS].stored = number
    :: else ->
      do
      :: k < chunks[c - 1] ->
        number + 1 <= SLOTS || freed.seen >= number + 1 - SLOTS;
        d_step {
          assert(slot[number % SLOTS] <= read);
          slot[number % SLOTS] = number + 1
        };
        tag[number % SLOTS].stored = number + 1;
        k++;
        number++
      :: else -> break
      od
    fi;
    c++
  :: else -> break
  od;
  atomic { writerIn = 0; ended++ }
}

proctype Reader() {
  byte c = 1, number, k;
  do
  :: c <= CALLS ->
    atomic { readerIn = c; k = 0 };
    if
    :: role[c - 1] == direct -> tell(toWriter, number, c)
    :: role[c - 1] == borrowed -> listen(toReader, number, c)
    :: else
    fi;
    if
    :: role[c - 1] == borrowed && open[c - 1] ->
      do
      :: k < chunks[c - 1] ->
        assert(writerIn == c); /* the writer's input is valid */
        k++;
        number++
      :: else -> break
      od;
      atomic { read = number; freed.stored = number }
    :: role[c - 1] == direct && open[c - 1] ->
      number = number + chunks[c - 1];
#ifndef MUTATE_NO_LAST
      tag[(number - 1) % SLOTS].seen == number;
#endif
      d_step {
        read = number;
#ifndef MUTATE_NO_FREED
        freed.stored = number
#endif
      }
    :: else ->
      do
      :: k < chunks[c - 1] ->
        tag[number % SLOTS].seen == number + 1;
        assert(slot[number % SLOTS] == number + 1);
        d_step { read = number + 1; freed.stored = number + 1 };
        k++;
        number++
      :: else -> break
      od
    fi;
    c++
  :: else -> break
  od;
  atomic { readerIn = 0; ended++ }
}

#define CARRY(word)                                                            \
  :: d_step { word.seen != word.stored -> word.seen = word.stored }
#define CARRY_TOLD(told)                                                       \
  CARRY(told.place)                                                            \
  :: d_step {                                                                  \
      told.tag.seen != told.tag.stored ->                                      \
      told.tag.seen = told.tag.stored;                                         \
      if                                                                       \
      :: told.place.seen < told.behind -> told.place.seen = told.behind        \
      :: else                                                                  \
      fi                                                                       \
    }

proctype Wires() {
  byte s;
end:
  do
  CARRY(freed)
  CARRY(tag[0])
#if SLOTS > 1
  CARRY(tag[1])
#endif
  CARRY_TOLD(toWriter)
  CARRY_TOLD(toReader)
  od
}

init {
  byte i, n;
  atomic {
    for (i : 0 .. CALLS - 1) {
      select(n : 1 .. CHUNKS);
      chunks[i] = n;
      if
      :: role[i] = plain
      :: role[i] = direct
      :: role[i] = borrowed
      fi;
      if
      :: role[i] != plain -> open[i] = true
      :: true
      fi
    }
    run Writer();
    run Reader();
    run Wires()
  }
}
