// Level 2: requests for collectives.
#ifndef BLINK_DIALECT_REQUESTOPS_TD
#define BLINK_DIALECT_REQUESTOPS_TD

include "dialect/CollectiveAttrs.td"
include "dialect/CollectiveInterfaces.td"

// `rootRank` is the expression that getRootRank() returns.
class Collective_RequestOp<string mnemonic, string kind, dag root,
                           string rootFormat, string rootRank>
    : Collective_Op<mnemonic,
        [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
         DeclareOpInterfaceMethods<Collective_RequestOpInterface,
                                   ["getCollective", "getRootRank"]>]> {
  let arguments = !con((ins FlatSymbolRefAttr:$topology,
                            DenseI32ArrayAttr:$gpus,
                            Collective_LinkKindsAttr:$links),
                       root, (ins OptionalAttr<DenseI32ArrayAttr>:$relays));
  let assemblyFormat = [{
    $topology `gpus` $gpus (`relays` $relays^)? `links` $links
  }] # rootFormat # " attr-dict";
  let extraClassDefinition = [{
    ::blink::collective::CollectiveKind $cppClass::getCollective() {
      return ::blink::collective::CollectiveKind::}] # kind # [{;
    }
    int32_t $cppClass::getRootRank() { return }] # rootRank # [{; }
    ::mlir::LogicalResult
    $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &symbols) {
      std::optional<int32_t> root;
      if (isRooted(getCollective()))
        root = getRootRank();
      return ::blink::collective::verifyAllocation(
          *this, symbols, getTopologyAttr(), getGpus(), getRelaysAttr(), root);
    }
  }];
}

class Collective_UnrootedRequestOp<string mnemonic, string kind>
    : Collective_RequestOp<mnemonic, kind, (ins), "", "0">;

class Collective_RootedRequestOp<string mnemonic, string kind>
    : Collective_RequestOp<mnemonic, kind, (ins I32Attr:$root), "`root` $root",
                           "getRoot()">;

def Collective_AllReduceOp
    : Collective_UnrootedRequestOp<"all_reduce", "AllReduce"> {
  let summary = "Every rank gets the reduction of all inputs";
  let description = [{
    `gpus` lists the GPU number of each rank, `relays` the numbers of other GPUs
    that may forward data.

    ```mlir
    collective.all_reduce @dgx1 gpus [1, 4, 5, 6] links <nvlink>
    ```
  }];
}

def Collective_AllGatherOp
    : Collective_UnrootedRequestOp<"all_gather", "AllGather"> {
  let summary = "Every rank gets the inputs of all ranks, in rank order";
  let description = [{
    ```mlir
    collective.all_gather @dgx1 gpus [1, 4, 5, 6] links <nvlink>
    ```
  }];
}

def Collective_ReduceScatterOp
    : Collective_UnrootedRequestOp<"reduce_scatter", "ReduceScatter"> {
  let summary = "Rank r gets block r of the reduction of all inputs";
  let description = [{
    ```mlir
    collective.reduce_scatter @dgx1 gpus [1, 4, 5, 6] links <nvlink>
    ```
  }];
}

def Collective_BroadcastOp
    : Collective_RootedRequestOp<"broadcast", "Broadcast"> {
  let summary = "Every rank gets the root's input";
  let description = [{
    ```mlir
    collective.broadcast @dgx1 gpus [1, 4, 5, 6] links <nvlink> root 0
    ```
  }];
}

def Collective_ReduceOp : Collective_RootedRequestOp<"reduce", "Reduce"> {
  let summary = "The root gets the reduction of all inputs";
  let description = [{
    ```mlir
    collective.reduce @dgx1 gpus [1, 4, 5, 6] links <nvlink> root 0
    ```
  }];
}

def Collective_GatherOp : Collective_RootedRequestOp<"gather", "Gather"> {
  let summary = "The root gets the inputs of all ranks, in rank order";
  let description = [{
    ```mlir
    collective.gather @dgx1 gpus [1, 4, 5, 6] links <nvlink> root 0
    ```
  }];
}

def Collective_ScatterOp : Collective_RootedRequestOp<"scatter", "Scatter"> {
  let summary = "Rank r gets block r of the root's input";
  let description = [{
    ```mlir
    collective.scatter @dgx1 gpus [1, 4, 5, 6] links <nvlink> root 0
    ```
  }];
}

def Collective_AllToAllOp
    : Collective_UnrootedRequestOp<"all_to_all", "AllToAll"> {
  let summary = "Block d of rank s's input becomes block s of rank d's output";
  let description = [{
    ```mlir
    collective.all_to_all @dgx1 gpus [1, 4, 5, 6] links <nvlink>
    ```
  }];
}

def Collective_SendRecvOp
    : Collective_UnrootedRequestOp<"send_recv", "SendRecv"> {
  let summary = "Point to point: block d of rank s's input becomes block s of rank d's output, each block independently";
  let description = [{
    Trees are stars: one path that crosses no other rank leads from the root to
    each rank.

    ```mlir
    collective.send_recv @dgx1 gpus [1, 4, 5, 6] links <all>
    ```
  }];
}

#endif // BLINK_DIALECT_REQUESTOPS_TD
