// Attributes: sets of link kinds, edges of trees, operands of folds.
#ifndef BLINK_DIALECT_COLLECTIVEATTRS_TD
#define BLINK_DIALECT_COLLECTIVEATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "dialect/CollectiveDialect.td"
include "dialect/CollectiveEnums.td"

class Collective_Attr<string name, string attrMnemonic>
    : AttrDef<Collective_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Collective_LinkKindsAttr : Collective_Attr<"LinkKinds", "link_kinds"> {
  let summary = "A set of link kinds";
  let description = [{
    The kinds of link that a schedule may use, in enum order, without
    duplicates.

    ```mlir
    #collective.link_kinds<nvlink, pcie>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"LinkKind", "kinds">:$kinds);
  let assemblyFormat = "`<` $kinds `>`";
  let genVerifyDecl = 1;
}

def Collective_EdgeAttr : Collective_Attr<"Edge", "edge"> {
  let summary = "An edge of a tree, with its path over links of the machine";
  let description = [{
    Data moves from rank `from` to rank `to`. The path lists the names of the
    topology's links in order.

    ```mlir
    #collective.edge<0 -> 3 via [gpu0.gpu3]>
    #collective.edge<0 -> 1 via [gpu0.plx0, plx0.cpu0, cpu0.plx0, plx0.gpu1]>
    ```
  }];
  let parameters = (ins "int32_t":$from, "int32_t":$to,
                        ArrayRefParameter<"::mlir::StringAttr">:$path);
  let hasCustomAssemblyFormat = 1;
}

def Collective_SwitchUseAttr : Collective_Attr<"SwitchUse", "switch_use"> {
  let summary = "The operations that a switch performs for a tree";
  let description = [{
    The switch reduces the contributions of all ranks for the root, multicasts
    the data of the root to all ranks, or both. The path leads from the root to
    the switch and back.

    ```mlir
    #collective.switch_use<reduce multicast via [gpu0.nvswitch0, nvswitch0.gpu0]>
    ```
  }];
  let parameters = (ins "bool":$reduces, "bool":$multicasts,
                        ArrayRefParameter<"::mlir::StringAttr">:$path);
  let hasCustomAssemblyFormat = 1;
}

def Collective_RenamingAttr : Collective_Attr<"Renaming", "renaming"> {
  let summary = "A renaming of nodes that maps a machine to itself";
  let description = [{
    Node i of the topology becomes node `nodes[i]`. The powers 0 to `steps` - 1
    of the renaming are used; its power `steps` is a product of renamings listed
    before it.

    ```mlir
    #collective.renaming<steps 2 nodes[2, 3, 0, 1]>
    ```
  }];
  let parameters = (ins "int32_t":$steps,
                        ArrayRefParameter<"int32_t", "nodes">:$nodes);
  let assemblyFormat = "`<` `steps` $steps `nodes` `[` $nodes `]` `>`";
}

def Collective_BufferAttr : Collective_Attr<"Buffer", "buffer"> {
  let summary = "A block of the user's input or output buffer";
  let description = [{
    ```mlir
    #collective.buffer<input[0]>
    ```
  }];
  let parameters = (ins "BufferKind":$kind, "int32_t":$block);
  let assemblyFormat = "`<` $kind `[` $block `]` `>`";
}

def Collective_EdgeArrayAttr
    : TypedArrayAttrBase<Collective_EdgeAttr, "edges of a tree">;

def Collective_RenamingArrayAttr
    : TypedArrayAttrBase<Collective_RenamingAttr, "renamings of a machine">;

def Collective_FoldOperandArrayAttr
    : TypedArrayAttrBase<AnyAttrOf<[Collective_BufferAttr, FlatSymbolRefAttr]>,
                         "buffers and channels of a fold">;

#endif // BLINK_DIALECT_COLLECTIVEATTRS_TD
