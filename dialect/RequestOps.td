// Level 2: what is asked for.
#ifndef BLINK_DIALECT_REQUESTOPS_TD
#define BLINK_DIALECT_REQUESTOPS_TD

include "dialect/CollectiveAttrs.td"
include "dialect/CollectiveInterfaces.td"

class Collective_RequestOp<string mnemonic>
    : Collective_Op<mnemonic,
        [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
         DeclareOpInterfaceMethods<Collective_RequestOpInterface,
                                   ["getCollective", "getRootRank"]>]>;

class Collective_UnrootedRequestOp<string mnemonic, string kind>
    : Collective_RequestOp<mnemonic> {
  let arguments = (ins FlatSymbolRefAttr:$topology, DenseI32ArrayAttr:$gpus,
                       Collective_LinkKindsAttr:$links,
                       OptionalAttr<DenseI32ArrayAttr>:$relays);
  let assemblyFormat = [{
    $topology `gpus` $gpus (`relays` $relays^)? `links` $links attr-dict
  }];
  let extraClassDefinition = [{
    ::blink::collective::CollectiveKind $cppClass::getCollective() {
      return ::blink::collective::CollectiveKind::}] # kind # [{;
    }
    int32_t $cppClass::getRootRank() { return 0; }
    ::mlir::LogicalResult
    $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &symbols) {
      return ::blink::collective::verifyAllocation(
          *this, symbols, getTopologyAttr(), getGpus(), getRelaysAttr(),
          std::nullopt);
    }
  }];
}

class Collective_RootedRequestOp<string mnemonic, string kind>
    : Collective_RequestOp<mnemonic> {
  let arguments = (ins FlatSymbolRefAttr:$topology, DenseI32ArrayAttr:$gpus,
                       Collective_LinkKindsAttr:$links, I32Attr:$root,
                       OptionalAttr<DenseI32ArrayAttr>:$relays);
  let assemblyFormat = [{
    $topology `gpus` $gpus (`relays` $relays^)? `links` $links `root` $root
    attr-dict
  }];
  let extraClassDefinition = [{
    ::blink::collective::CollectiveKind $cppClass::getCollective() {
      return ::blink::collective::CollectiveKind::}] # kind # [{;
    }
    int32_t $cppClass::getRootRank() { return getRoot(); }
    ::mlir::LogicalResult
    $cppClass::verifySymbolUses(::mlir::SymbolTableCollection &symbols) {
      return ::blink::collective::verifyAllocation(
          *this, symbols, getTopologyAttr(), getGpus(), getRelaysAttr(),
          getRoot());
    }
  }];
}

def Collective_AllReduceOp
    : Collective_UnrootedRequestOp<"all_reduce", "AllReduce"> {
  let summary = "Every rank ends with the reduction of all inputs";
  let description = [{
    `gpus` lists the GPU number of each rank, `relays` those of other GPUs that
    may forward.

    ```mlir
    collective.all_reduce @dgx1 gpus [1, 4, 5, 6] links <nvlink>
    ```
  }];
}

def Collective_AllGatherOp
    : Collective_UnrootedRequestOp<"all_gather", "AllGather"> {
  let summary = "Every rank ends with the inputs of all, in rank order";
  let description = [{
    ```mlir
    collective.all_gather @dgx1 gpus [1, 4, 5, 6] links <nvlink>
    ```
  }];
}

def Collective_ReduceScatterOp
    : Collective_UnrootedRequestOp<"reduce_scatter", "ReduceScatter"> {
  let summary = "Rank r ends with block r of the reduction of all inputs";
  let description = [{
    ```mlir
    collective.reduce_scatter @dgx1 gpus [1, 4, 5, 6] links <nvlink>
    ```
  }];
}

def Collective_BroadcastOp
    : Collective_RootedRequestOp<"broadcast", "Broadcast"> {
  let summary = "Every rank ends with the root's input";
  let description = [{
    ```mlir
    collective.broadcast @dgx1 gpus [1, 4, 5, 6] links <nvlink> root 0
    ```
  }];
}

def Collective_ReduceOp : Collective_RootedRequestOp<"reduce", "Reduce"> {
  let summary = "The root ends with the reduction of all inputs";
  let description = [{
    ```mlir
    collective.reduce @dgx1 gpus [1, 4, 5, 6] links <nvlink> root 0
    ```
  }];
}

def Collective_GatherOp : Collective_RootedRequestOp<"gather", "Gather"> {
  let summary = "The root ends with the inputs of all, in rank order";
  let description = [{
    ```mlir
    collective.gather @dgx1 gpus [1, 4, 5, 6] links <nvlink> root 0
    ```
  }];
}

def Collective_ScatterOp : Collective_RootedRequestOp<"scatter", "Scatter"> {
  let summary = "Rank r ends with block r of the root's input";
  let description = [{
    ```mlir
    collective.scatter @dgx1 gpus [1, 4, 5, 6] links <nvlink> root 0
    ```
  }];
}

def Collective_AllToAllOp
    : Collective_UnrootedRequestOp<"all_to_all", "AllToAll"> {
  let summary = "Block s of rank d's output is block d of rank s's input";
  let description = [{
    ```mlir
    collective.all_to_all @dgx1 gpus [1, 4, 5, 6] links <nvlink>
    ```
  }];
}

#endif // BLINK_DIALECT_REQUESTOPS_TD
