// Level 4: the program of every rank.
#ifndef BLINK_DIALECT_SCHEDULEOPS_TD
#define BLINK_DIALECT_SCHEDULEOPS_TD

include "dialect/ForestOps.td"

def Collective_ScheduleOp
    : Collective_StatementOp<"schedule", [SymbolTable],
                             (ins OptionalAttr<I32Attr>:$chunk_bytes,
                                 OptionalAttr<I32Attr>:$least_chunk_bytes,
                                 OptionalAttr<I32Attr>:$least_chunks,
                                 OptionalAttr<DenseI64ArrayAttr>:$time_bytes,
                                 OptionalAttr<DenseF64ArrayAttr>:$time_us),
                             "(`chunk_bytes` $chunk_bytes^)? "
                             "(`least` $least_chunks^ `of` "
                             "$least_chunk_bytes)?"> {
  let summary = "The program of every rank";
  let description = [{
    Holds `collective.share`s, `collective.channel`s and one `collective.rank`
    for each rank, in order. `chunk_bytes` is the size of a channel's slot; it
    is absent until `collective-tune-chunks` has run. Small messages are cut
    into smaller chunks: into at least four, but not below 64 KiB, or into at
    least as many as the first number of `least`, but not below the second, in
    bytes. The other arguments are explained at `collective.forest`. Schedules
    of one collective, root and allocation are the variants of one program, in
    ascending order of size, without gaps.

    `time_bytes` and `time_us` are estimates: sizes of messages, and the
    microseconds that they take. They are absent until
    `collective-estimate-times` has run.

    `relays` are GPUs outside `gpus` that forward data. They are numbered after
    the n ranks, as ranks n, n + 1, ...; their programs use only channels.

    With `symmetry` (see `collective.forest`), shares and channels are those of
    trees whose roots are the lowest ranks of their orbits, and there is a
    `collective.rank` for each of these ranks. If an image of such a rank reads
    or writes a channel, a fold of the rank names that channel; it stands for
    the channel's image at the rank itself.

    ```mlir
    collective.schedule broadcast @pair gpus [0, 1] links <nvlink> root 0
        algbw 25.0 bound 25.0 prices [1.0, 0.0] chunk_bytes 65536 {
      collective.share @t0 root 0 block 0 part 1 of 1 depth 1
      collective.channel @c0 peer share @t0 from 0 to 1 slots 2 via [gpu0.gpu1]
      collective.rank 0 {
        collective.lane {
          collective.fold @t0 (input[0]) -> (output[0], @c0)
        }
      }
      collective.rank 1 {
        collective.lane {
          collective.fold @t0 (@c0) -> (output[0])
        }
      }
    }
    ```
  }];
}

def Collective_ShareOp
    : Collective_Op<"share", [Symbol, HasParent<"ScheduleOp">]> {
  let summary = "The part of a block that one tree carries";
  let description = [{
    Shares are in the order of the elements that they cover. The shares of a
    block have one denominator and add up to one. `root` and `depth` describe
    the tree. If a switch works for the tree, all its channels to the root
    (`reduce`) or from the root (`multicast`) cross that switch.

    ```mlir
    collective.share @t0 root 3 block 0 part 3 of 7 depth 2
    collective.share @t1 root 0 block 0 part 4 of 7 depth 1
        switch <reduce multicast via [gpu0.nvswitch0, nvswitch0.gpu0]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I32Attr:$root, I32Attr:$block,
                       I64Attr:$numerator, I64Attr:$denominator,
                       I32Attr:$depth,
                       OptionalAttr<Collective_SwitchUseAttr>:$switch_use);
  let assemblyFormat = [{
    $sym_name `root` $root `block` $block `part` $numerator `of` $denominator
    `depth` $depth (`switch` $switch_use^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Collective_ChannelOp
    : Collective_Op<"channel", [Symbol, HasParent<"ScheduleOp">,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A directed connection between two ranks: a ring of slots";
  let description = [{
    Carries the chunks of one share over one path. Exactly one fold of rank
    `from` writes it and exactly one fold of rank `to` reads it. A `network`
    channel may have a `window`: the maximum number of chunks in flight, even if
    there are more slots.

    ```mlir
    collective.channel @c0 peer share @t0 from 0 to 3 slots 4 via [gpu0.gpu3]
    collective.channel @c1 network share @t0 from 0 to 8 slots 4 window 2
        via [gpu0.nic0, nic0.rail0, rail0.nic8, nic8.gpu8]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Collective_ChannelKind:$kind,
                       FlatSymbolRefAttr:$share, I32Attr:$from, I32Attr:$to,
                       I32Attr:$slots,
                       DefaultValuedAttr<I32Attr, "0">:$window,
                       StrArrayAttr:$path);
  let assemblyFormat = [{
    $sym_name $kind `share` $share `from` $from `to` $to `slots` $slots
    (`window` $window^)? `via` custom<ChannelPath>($path) attr-dict
  }];
  let hasVerifier = 1;
}

def Collective_RankOp
    : Collective_ContainerOp<"rank", [HasParent<"ScheduleOp">]> {
  let summary = "The program of one rank";
  let description = [{
    Holds either `collective.lane`s or, before `collective-assign-lanes`, loose
    `collective.fold`s, each of which could be a lane of its own.
  }];
  let arguments = (ins I32Attr:$rank);
  let assemblyFormat = "$rank attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "int32_t":$rank), [{
    $_state.getOrAddProperties<Properties>().rank =
        $_builder.getI32IntegerAttr(rank);
    $_state.addRegion()->emplaceBlock();
  }]>];
  let hasRegionVerifier = 1;
}

def Collective_LaneOp
    : Collective_ContainerOp<"lane", [HasParent<"RankOp">]> {
  let summary = "One sequential worker: a thread, or a thread block on a GPU";
  let description = [{
    Runs its folds in order, round after round. From one fold to the next, the
    delay never decreases.
  }];
  let assemblyFormat = "attr-dict-with-keyword $body";
  let builders =
      [OpBuilder<(ins), [{ $_state.addRegion()->emplaceBlock(); }]>];
  let hasRegionVerifier = 1;
}

def Collective_DelayAttr
    : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<65535>]>;

def Collective_FoldOp
    : Collective_Op<"fold", [ParentOneOf<["RankOp", "LaneOp"]>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Read a chunk from each source, reduce, write to each destination";
  let description = [{
    The only instruction. Sources are reduced element by element in the listed
    order. `completes` marks the fold whose result is the whole reduction; an
    average is divided there. With a `delay` of d, the fold processes chunk
    r - d in round r of its lane, so that the chunks that it reads have been
    written in earlier rounds.

    ```mlir
    collective.fold @t0 (input[0], @c1, @c2) -> (@c5)
    collective.fold @t0 (input[0], @c5) -> (output[0], @c6) completes delay 2
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$share,
                       Collective_FoldOperandArrayAttr:$sources,
                       Collective_FoldOperandArrayAttr:$destinations,
                       UnitAttr:$completes,
                       DefaultValuedAttr<Collective_DelayAttr, "0">:$delay);
  let assemblyFormat = [{
    $share custom<FoldOperands>($sources) `->`
    custom<FoldOperands>($destinations) (`completes` $completes^)?
    (`delay` $delay^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // BLINK_DIALECT_SCHEDULEOPS_TD
