module attributes {collective.options = ["collective=allreduce", "gpus=all", "root=0", "links=all", "slack=0.01", "max-trees=0", "max-lanes=1", "chunk-bytes=0", "variants=bandwidth", "order=rank", "accumulate=f32"]} {
  collective.topology @"fully-connected-3" {
    collective.node @gpu0 gpu
    collective.node @gpu1 gpu
    collective.node @gpu2 gpu
    collective.link @gpu0.gpu1 nvlink @gpu0 -> @gpu1 bandwidth 2.500000e+01 latency 0.69999999999999996
    collective.link @gpu1.gpu0 nvlink @gpu1 -> @gpu0 bandwidth 2.500000e+01 latency 0.69999999999999996
    collective.link @gpu0.gpu2 nvlink @gpu0 -> @gpu2 bandwidth 2.500000e+01 latency 0.69999999999999996
    collective.link @gpu2.gpu0 nvlink @gpu2 -> @gpu0 bandwidth 2.500000e+01 latency 0.69999999999999996
    collective.link @gpu1.gpu2 nvlink @gpu1 -> @gpu2 bandwidth 2.500000e+01 latency 0.69999999999999996
    collective.link @gpu2.gpu1 nvlink @gpu2 -> @gpu1 bandwidth 2.500000e+01 latency 0.69999999999999996
  }
  collective.forest all_reduce @"fully-connected-3" gpus [0, 1, 2] links <nvlink, pcie, host, c2c, xgmi, network> sums chain accumulate f32 algbw 3.750000e+01 bound 3.750000e+01 prices [2.500000e-01, 2.500000e-01, 2.500000e-01, 2.500000e-01, 2.500000e-01, 2.500000e-01] {
    collective.tree @t0 root 0 block 0 share 1 of 3 up [0 -> 0 via [], 1 -> 0 via [gpu1.gpu0], 0 -> 0 via [], 2 -> 0 via [gpu2.gpu0]] down [0 -> 1 via [gpu0.gpu1], 0 -> 2 via [gpu0.gpu2]]
    collective.tree @t1 root 1 block 0 share 1 of 3 up [0 -> 1 via [gpu0.gpu1], 1 -> 1 via [], 1 -> 1 via [], 2 -> 1 via [gpu2.gpu1]] down [1 -> 2 via [gpu1.gpu2], 1 -> 0 via [gpu1.gpu0]]
    collective.tree @t2 root 2 block 0 share 1 of 3 up [0 -> 2 via [gpu0.gpu2], 1 -> 2 via [gpu1.gpu2], 2 -> 2 via [], 2 -> 2 via []] down [2 -> 0 via [gpu2.gpu0], 2 -> 1 via [gpu2.gpu1]]
  }
}
