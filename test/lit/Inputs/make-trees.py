#!/usr/bin/env python3
"""Trees for an allgather in the words of ForestColl's XML, for tests.

    make-trees.py ring N            two chains from each of N GPUs, one each way round
    make-trees.py ring N --half     one chain: half as fast
    make-trees.py star N SWITCH     to each other GPU at once, over a switch of that name
    --ids                           GPUs are called gpu0, ...; else as ForestColl's examples do, (0, 'GPU', 0)
"""
import sys

shape, count, *rest = sys.argv[1:]
n = int(count)
name = (lambda i: f"gpu{i}") if "--ids" in rest else (lambda i: f"(0, 'GPU', {i})")
ways = {"ring": [1] if "--half" in rest else [1, -1], "star": [0]}[shape]
print(f'<Algo nchunkspernode="{len(ways)}">')
for root in range(n):
    for index, way in enumerate(ways):
        print(f'  <tree root="{name(root)}" index="{index}" nchunks="1" height="{n - 1 if way else 1}">')
        for hop in range(n - 1):
            a = (root + way * hop) % n
            b = (root + way * (hop + 1)) % n if way else (root + hop + 1) % n
            path = [name(a)] + ([rest[0]] if shape == "star" else []) + [name(b)]
            print(f'    <send src="{name(a)}" dst="{name(b)}" path="{",".join(path)}"/>')
        print("  </tree>")
print("</Algo>")
