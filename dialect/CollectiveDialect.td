// The dialect itself, and the base class of its operations.
#ifndef BLINK_DIALECT_COLLECTIVEDIALECT_TD
#define BLINK_DIALECT_COLLECTIVEDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Collective_Dialect : Dialect {
  let name = "collective";
  let cppNamespace = "::blink::collective";
  let summary = "Collective communication, from the machine to the steps of each GPU";
  let description = [{
    The dialect has four levels. IR of each level can be written by hand,
    printed, parsed, and passed to the next pass. Custom algorithms are written
    in this way.

    1. *topology*: `collective.topology` holds `collective.node` and
       `collective.link`.
    2. *request*: `collective.all_reduce`, `collective.broadcast`, ... request
       a collective on a topology, for an allocation of its GPUs.
    3. *forest*: `collective.forest` holds spanning trees, `collective.tree`,
       with exact shares and the path of each edge.
    4. *folds*: `collective.schedule` holds shares, channels and, for each
       rank, a `collective.rank` with its `collective.fold` steps, which are
       loose at first and later in `collective.lane`s.

    Sizes are bytes, bandwidth is GB/s (1e9 bytes/s) per direction, latency is
    microseconds. Rate (`algbw`) is buffer size over time, as in nccl-tests.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class Collective_Op<string mnemonic, list<Trait> traits = []>
    : Op<Collective_Dialect, mnemonic, traits>;

// An op whose region is a list of declarations: one block without a terminator
// and without values.
class Collective_ContainerOp<string mnemonic, list<Trait> traits = []>
    : Collective_Op<mnemonic, traits # [NoTerminator, NoRegionArguments,
                                        SingleBlock]> {
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
}

#endif // BLINK_DIALECT_COLLECTIVEDIALECT_TD
