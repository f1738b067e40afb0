// Level 2 parses, prints and comes back.
// RUN: blink-opt %s | FileCheck %s
// RUN: blink-opt %s | blink-opt | FileCheck %s
// RUN: blink-opt %s --mlir-print-op-generic | blink-opt | FileCheck %s

collective.topology @pair {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.link @a nvlink @gpu0 -> @gpu1 bandwidth 25.0 latency 0.5
  collective.link @b nvlink @gpu1 -> @gpu0 bandwidth 25.0 latency 0.5
}
// CHECK:      collective.all_reduce @pair gpus [1, 0] links <nvlink>
collective.all_reduce @pair gpus [1, 0] links <nvlink>
// CHECK-NEXT: collective.all_gather @pair gpus [0, 1] links <nvlink, pcie, host, c2c, xgmi, network>
collective.all_gather @pair gpus [0, 1] links <nvlink, pcie, host, c2c, xgmi, network>
// CHECK-NEXT: collective.reduce_scatter @pair gpus [0, 1] links <pcie>
collective.reduce_scatter @pair gpus [0, 1] links <pcie>
// CHECK-NEXT: collective.broadcast @pair gpus [0, 1] links <nvlink> root 1
collective.broadcast @pair gpus [0, 1] links <nvlink> root 1
// CHECK-NEXT: collective.reduce @pair gpus [0] links <nvlink> root 0
collective.reduce @pair gpus [0] links <nvlink> root 0
