// Level 3: spanning trees.
#ifndef BLINK_DIALECT_FORESTOPS_TD
#define BLINK_DIALECT_FORESTOPS_TD

include "dialect/CollectiveAttrs.td"

// The common arguments of forests and schedules: a collective, the GPUs and
// links that it may use, its rate with a proof, and the sizes that it serves.
class Collective_StatementOp<string mnemonic, list<Trait> traits = [],
                             dag moreArguments = (ins), string moreFormat = "">
    : Collective_ContainerOp<mnemonic,
        traits # [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = !con((ins Collective_CollectiveKind:$collective,
                            FlatSymbolRefAttr:$topology,
                            DenseI32ArrayAttr:$gpus,
                            Collective_LinkKindsAttr:$links,
                            OptionalAttr<I32Attr>:$root,
                            F64Attr:$algbw, F64Attr:$bound,
                            DenseF64ArrayAttr:$prices,
                            OptionalAttr<Collective_Protocol>:$protocol,
                            OptionalAttr<I64Attr>:$min_bytes,
                            OptionalAttr<I64Attr>:$max_bytes,
                            OptionalAttr<DenseI32ArrayAttr>:$relays,
                            OptionalAttr<Collective_Sums>:$sums,
                            OptionalAttr<Collective_Accumulation>:$accumulate,
                            OptionalAttr<Collective_RenamingArrayAttr>
                                :$symmetry),
                       moreArguments);
  let assemblyFormat = [{
    $collective $topology `gpus` $gpus (`relays` $relays^)? `links` $links
    (`root` $root^)? (`sums` $sums^)? (`accumulate` $accumulate^)?
    `algbw` $algbw `bound` $bound `prices` custom<Prices>($prices)
    (`protocol` $protocol^)? (`min_bytes` $min_bytes^)?
    (`max_bytes` $max_bytes^)? (`symmetry` $symmetry^)?
  }] # moreFormat # " attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "CollectiveKind":$collective,
      "::mlir::FlatSymbolRefAttr":$topology, "::llvm::ArrayRef<int32_t>":$gpus,
      "LinkKindsAttr":$links, "std::optional<int32_t>":$root, "double":$algbw,
      "double":$bound, "::llvm::ArrayRef<double>":$prices), [{
    auto &properties = $_state.getOrAddProperties<Properties>();
    properties.collective =
        CollectiveKindAttr::get($_builder.getContext(), collective);
    properties.topology = topology;
    properties.gpus = $_builder.getDenseI32ArrayAttr(gpus);
    properties.links = links;
    if (root)
      properties.root = $_builder.getI32IntegerAttr(*root);
    properties.algbw = $_builder.getF64FloatAttr(algbw);
    properties.bound = $_builder.getF64FloatAttr(bound);
    properties.prices = $_builder.getDenseF64ArrayAttr(prices);
    $_state.addRegion()->emplaceBlock();
  }]>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Collective_ForestOp : Collective_StatementOp<"forest"> {
  let summary = "The trees of a collective, with a proof of the bound on its rate";
  let description = [{
    `algbw` is the rate that the links sustain with these shares, `bound` the
    rate that no schedule can exceed, both in GB/s. `prices` proves the bound.
    It has one price for each link of the topology, in its order. The sum of
    price x bandwidth over all links, divided by the price of the cheapest tree,
    is an upper bound on the rate of every schedule.

    `relays` are GPUs outside `gpus` that may forward data: paths may cross
    them.

    With `sums`, all trees add in one order: `chain` is ((r0 + r1) + r2) + ...,
    `halves` adds up each half of the ranks separately, (r0 + r1) + (r2 + r3).

    A tree of share 0 is a candidate: `collective-select-trees` may use it;
    later passes remove it.

    A forest may be one *variant* of a collective. It then serves messages from
    `min_bytes` (default: 0) to below `max_bytes` (default: no limit), sent by
    `protocol` (default: simple). The other variants are separate forests.
    `algbw` and `bound` are the same in all variants; `algbw` is the rate of the
    last one.

    `symmetry` lists renamings of the machine that generate an abelian group in
    which every element but the identity moves every rank. Each tree then stands
    for all its images. Roots are the lowest ranks of their orbits, and the
    shares of a block, without images, add up to one divided by the number of
    elements of the group.

    ```mlir
    collective.forest broadcast @pair gpus [0, 1] links <nvlink> root 0
        algbw 25.0 bound 25.0 prices [1.0, 0.0] {
      collective.tree @t0 root 0 block 0 share 1 of 1 up [] down [0 -> 1 via [gpu0.gpu1]]
    }
    ```
  }];
}

def Collective_TreeOp : Collective_Op<"tree", [HasParent<"ForestOp">]> {
  let summary = "A spanning tree with its root and its exact share of a block";
  let description = [{
    `up` carries contributions to the root, children before parents; `down`
    carries results away from it, parents before children. An allreduce has
    both; a reduce, reduce_scatter or gather only `up`; a broadcast, all_gather,
    scatter or all_to_all only `down`. In gather, scatter and all_to_all each
    rank has data of its own, and the tree is the set of chains between each
    rank and the root.

    In a forest with `sums`, `up` has one edge for each partial sum, listed
    after the edges of the sums that it consists of. The edge leads from the
    rank that has the partial sum to the rank that adds it, by a path that may
    cross other ranks. If both are one rank, the edge is `1 -> 1 via []`. For
    two ranks and root 1, `up` is `[0 -> 1 via [gpu0.gpu1], 1 -> 1 via []]`.

    ```mlir
    collective.tree @t0 root 1 block 0 share 3 of 7
        up [0 -> 1 via [gpu0.gpu1]] down [1 -> 0 via [gpu1.gpu0]]
    ```

    A switch may work for a tree. Then all edges of `up` (`reduce`), of `down`
    (`multicast`) or of both connect the root with another rank over that
    switch, and each of their links carries the tree's share once.

    ```mlir
    collective.tree @t0 root 0 block 0 share 1 of 2
        up [1 -> 0 via [gpu1.s, s.gpu0]] down [0 -> 1 via [gpu0.s, s.gpu1]]
        switch <reduce multicast via [gpu0.s, s.gpu0]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I32Attr:$root, I32Attr:$block,
                       I64Attr:$numerator, I64Attr:$denominator,
                       Collective_EdgeArrayAttr:$up,
                       Collective_EdgeArrayAttr:$down,
                       OptionalAttr<Collective_SwitchUseAttr>:$switch_use);
  let assemblyFormat = [{
    $sym_name `root` $root `block` $block `share` $numerator `of` $denominator
    `up` custom<Edges>($up) `down` custom<Edges>($down)
    (`switch` $switch_use^)? attr-dict
  }];
}

#endif // BLINK_DIALECT_FORESTOPS_TD
