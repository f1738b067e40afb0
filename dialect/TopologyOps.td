// Level 1: the machine.
#ifndef BLINK_DIALECT_TOPOLOGYOPS_TD
#define BLINK_DIALECT_TOPOLOGYOPS_TD

include "dialect/CollectiveDialect.td"
include "dialect/CollectiveEnums.td"

def Collective_TopologyOp
    : Collective_ContainerOp<"topology", [Symbol, SymbolTable,
                                          IsolatedFromAbove]> {
  let summary = "A machine type: its nodes and links";
  let description = [{
    `gpu` nodes in order are GPU 0, 1, ...; nodes of other kinds are transit
    nodes.

    ```mlir
    collective.topology @pair {
      collective.node @gpu0 gpu
      collective.node @gpu1 gpu
      collective.link @gpu0.gpu1 nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.7
      collective.link @gpu1.gpu0 nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.7
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name), [{
    $_state.getOrAddProperties<Properties>().sym_name =
        $_builder.getStringAttr(name);
    $_state.addRegion()->emplaceBlock();
  }]>];
  let extraClassDeclaration = [{
    /// Number of `gpu` nodes.
    unsigned getNumGpus();
    /// Number of links.
    unsigned getNumLinks();
  }];
  let hasRegionVerifier = 1;
}

def Collective_NodeOp
    : Collective_Op<"node", [Symbol, HasParent<"TopologyOp">]> {
  let summary = "A GPU, or a transit node between GPUs";
  let description = [{
    `multicast` and `reduce` mark a switch that can copy or add data; `device`
    is the name of a nic in the operating system.

    ```mlir
    collective.node @nvswitch switch {multicast, reduce}
    collective.node @nic0 nic {device = "mlx5_0"}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Collective_NodeKind:$kind,
                       UnitAttr:$multicast, UnitAttr:$reduce,
                       OptionalAttr<StrAttr>:$device);
  let assemblyFormat = "$sym_name $kind attr-dict";
  let hasVerifier = 1;
}

def Collective_LinkOp
    : Collective_Op<"link", [Symbol, HasParent<"TopologyOp">,
                             DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A directed link between two nodes";
  let description = [{
    Bandwidth is in GB/s (0.001 to 1000000), latency in microseconds (0 to
    1000000).

    ```mlir
    collective.link @gpu0.plx0 pcie @gpu0 -> @plx0 bandwidth 15.75 latency 0.5
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Collective_LinkKind:$kind,
                       FlatSymbolRefAttr:$from, FlatSymbolRefAttr:$to,
                       F64Attr:$bandwidth, F64Attr:$latency);
  let assemblyFormat = [{
    $sym_name $kind $from `->` $to `bandwidth` $bandwidth `latency` $latency
    attr-dict
  }];
  let hasVerifier = 1;
}

#endif // BLINK_DIALECT_TOPOLOGYOPS_TD
