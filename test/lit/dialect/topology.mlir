// Level 1 parses, prints and comes back.
// RUN: blink-opt %s | FileCheck %s
// RUN: blink-opt %s | blink-opt | FileCheck %s
// RUN: blink-opt %s --mlir-print-op-generic | blink-opt | FileCheck %s

// CHECK-LABEL: collective.topology @machine {
// CHECK-NEXT:    collective.node @gpu0 gpu
// CHECK-NEXT:    collective.node @gpu1 gpu
// CHECK-NEXT:    collective.node @sw switch {multicast, reduce}
// CHECK-NEXT:    collective.node @cpu0 cpu
// CHECK-NEXT:    collective.node @mlx5_0 nic {device = "mlx5_0"}
// CHECK-NEXT:    collective.link @gpu0.sw nvlink @gpu0 -> @sw bandwidth 1.500000e+02 latency 5.000000e-01
// CHECK-NEXT:    collective.link @"a link" c2c @gpu0 -> @cpu0 bandwidth 1.000000e-03 latency 0.000000e+00
collective.topology @machine {
  collective.node @gpu0 gpu
  collective.node @gpu1 gpu
  collective.node @sw switch {multicast, reduce}
  collective.node @cpu0 cpu
  collective.node @mlx5_0 nic {device = "mlx5_0"}
  collective.link @gpu0.sw nvlink @gpu0 -> @sw bandwidth 150.0 latency 0.5
  collective.link @"a link" c2c @gpu0 -> @cpu0 bandwidth 0.001 latency 0.0
  collective.link @gpu0.cpu0 pcie @gpu0 -> @cpu0 bandwidth 12.0 latency 1.0
  collective.link @gpu1.cpu0 xgmi @gpu1 -> @cpu0 bandwidth 12.0 latency 1.0
  collective.link @gpu1.nic network @gpu1 -> @mlx5_0 bandwidth 12.0 latency 1.0
}
