// The interface of all requests.
#ifndef BLINK_DIALECT_COLLECTIVEINTERFACES_TD
#define BLINK_DIALECT_COLLECTIVEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Collective_RequestOpInterface : OpInterface<"RequestOpInterface"> {
  let cppNamespace = "::blink::collective";
  let description = [{
    A request for a collective on an allocation of a topology.
  }];
  let methods = [
    InterfaceMethod<"The requested collective", "CollectiveKind",
                    "getCollective">,
    InterfaceMethod<"The topology's symbol", "::mlir::FlatSymbolRefAttr",
                    "getTopologyAttr">,
    InterfaceMethod<"The GPU number of each rank", "::llvm::ArrayRef<int32_t>",
                    "getGpus">,
    InterfaceMethod<"The numbers of other GPUs that may forward data; null if none",
                    "::mlir::DenseI32ArrayAttr", "getRelaysAttr">,
    InterfaceMethod<"The kinds of link that may be used", "LinkKindsAttr",
                    "getLinks">,
    InterfaceMethod<"The root's rank; 0 if there is no root", "int32_t",
                    "getRootRank">,
  ];
}

#endif // BLINK_DIALECT_COLLECTIVEINTERFACES_TD
