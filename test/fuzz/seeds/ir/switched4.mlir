module attributes {collective.options = ["collective=allreduce", "gpus=all", "root=0", "links=all", "slack=0.01", "max-trees=0", "max-lanes=1", "chunk-bytes=0", "variants=bandwidth", "in-switch=yes"]} {
  collective.topology @s3 {
    collective.node @gpu0 gpu
    collective.node @gpu1 gpu
    collective.node @gpu2 gpu
    collective.node @gpu3 gpu
    collective.node @s switch {multicast, reduce}
    collective.link @gpu0.s nvlink @gpu0 -> @s bandwidth 5.000000e+01 latency 0.000000e+00
    collective.link @s.gpu0 nvlink @s -> @gpu0 bandwidth 5.000000e+01 latency 0.000000e+00
    collective.link @gpu1.s nvlink @gpu1 -> @s bandwidth 5.000000e+01 latency 0.000000e+00
    collective.link @s.gpu1 nvlink @s -> @gpu1 bandwidth 5.000000e+01 latency 0.000000e+00
    collective.link @gpu2.s nvlink @gpu2 -> @s bandwidth 5.000000e+01 latency 0.000000e+00
    collective.link @s.gpu2 nvlink @s -> @gpu2 bandwidth 5.000000e+01 latency 0.000000e+00
    collective.link @gpu3.s nvlink @gpu3 -> @s bandwidth 5.000000e+01 latency 0.000000e+00
    collective.link @s.gpu3 nvlink @s -> @gpu3 bandwidth 5.000000e+01 latency 0.000000e+00
  }
  collective.forest all_reduce @s3 gpus [0, 1, 2, 3] links <nvlink, pcie, host, c2c, xgmi, network> algbw 4.000000e+01 bound 4.000000e+01 prices [1.000000e-01, 1.000000e-01, 1.000000e-01, 1.000000e-01, 1.000000e-01, 1.000000e-01, 1.000000e-01, 1.000000e-01] attributes {collective.in_switch} {
    collective.tree @t0 root 0 block 0 share 1 of 4 up [1 -> 0 via [gpu1.s, s.gpu0], 2 -> 0 via [gpu2.s, s.gpu0], 3 -> 0 via [gpu3.s, s.gpu0]] down [0 -> 3 via [gpu0.s, s.gpu3], 0 -> 2 via [gpu0.s, s.gpu2], 0 -> 1 via [gpu0.s, s.gpu1]] switch <reduce multicast via [gpu0.s, s.gpu0]>
    collective.tree @t1 root 1 block 0 share 1 of 4 up [2 -> 1 via [gpu2.s, s.gpu1], 3 -> 1 via [gpu3.s, s.gpu1], 0 -> 1 via [gpu0.s, s.gpu1]] down [1 -> 0 via [gpu1.s, s.gpu0], 1 -> 3 via [gpu1.s, s.gpu3], 1 -> 2 via [gpu1.s, s.gpu2]] switch <reduce multicast via [gpu1.s, s.gpu1]>
    collective.tree @t2 root 2 block 0 share 1 of 4 up [3 -> 2 via [gpu3.s, s.gpu2], 0 -> 2 via [gpu0.s, s.gpu2], 1 -> 2 via [gpu1.s, s.gpu2]] down [2 -> 1 via [gpu2.s, s.gpu1], 2 -> 0 via [gpu2.s, s.gpu0], 2 -> 3 via [gpu2.s, s.gpu3]] switch <reduce multicast via [gpu2.s, s.gpu2]>
    collective.tree @t3 root 3 block 0 share 1 of 4 up [0 -> 3 via [gpu0.s, s.gpu3], 1 -> 3 via [gpu1.s, s.gpu3], 2 -> 3 via [gpu2.s, s.gpu3]] down [3 -> 2 via [gpu3.s, s.gpu2], 3 -> 1 via [gpu3.s, s.gpu1], 3 -> 0 via [gpu3.s, s.gpu0]] switch <reduce multicast via [gpu3.s, s.gpu3]>
  }
}
