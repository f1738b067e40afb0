// The interface of all requests.
#ifndef BLINK_DIALECT_COLLECTIVEINTERFACES_TD
#define BLINK_DIALECT_COLLECTIVEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Collective_RequestOpInterface : OpInterface<"RequestOpInterface"> {
  let cppNamespace = "::blink::collective";
  let description = [{
    A collective asked for on an allocation of a topology.
  }];
  let methods = [
    InterfaceMethod<"Which collective is asked for", "CollectiveKind",
                    "getCollective">,
    InterfaceMethod<"The topology's symbol", "::mlir::FlatSymbolRefAttr",
                    "getTopologyAttr">,
    InterfaceMethod<"The GPU number of each rank", "::llvm::ArrayRef<int32_t>",
                    "getGpus">,
    InterfaceMethod<"GPU numbers of those that may forward; null for none",
                    "::mlir::DenseI32ArrayAttr", "getRelaysAttr">,
    InterfaceMethod<"The kinds of link that may be used", "LinkKindsAttr",
                    "getLinks">,
    InterfaceMethod<"The root's rank; 0 where there is none", "int32_t",
                    "getRootRank">,
  ];
}

#endif // BLINK_DIALECT_COLLECTIVEINTERFACES_TD
