"""Makes the profile of the fake CUDA driver (test/cudadriver/FakeCuda.cpp) of a machine that a probe has written.

    make-driver.py box.topo nvml.txt [NAME=GB/s[,noisy] ...] [share NAME GB/s LINK...]

A copy uses the links on the shortest path, each a resource "gpu0>gpu1" that has nine tenths of its nominal rate, or what
NAME=... says. A "share" is one more resource, which copies over any of the links use, too: what no topology has, such as a
switch that cannot carry all at once. Peer access is over NVLink, or below one PCIe switch.
"""
import collections
import json
import sys


def main():
    topology = json.loads("\n".join(line for line in open(sys.argv[1]) if not line.startswith("//")))
    rates, shares = {}, []
    arguments = sys.argv[3:]
    while arguments:
        word = arguments.pop(0)
        if word == "share":
            shares.append((arguments[0], arguments[1], set(arguments[2:])))
            break
        name, rate = word.split("=")
        rates[name] = rate.replace(",", " ")
    kinds = {node["id"]: node["kind"] for node in topology["nodes"]}
    out = collections.defaultdict(list)
    resources = {}
    for link in topology["links"]:
        for source, target in ((link["from"], link["to"]), (link["to"], link["from"])):
            name = f"{source}>{target}"
            resources[name] = resources.get(name, 0) + 0.9 * link["bandwidth"]
            out[source].append((-link["bandwidth"], target))

    def path(source, target, through):
        last, queue = {source: None}, collections.deque([source])
        while queue and target not in last:
            node = queue.popleft()
            if node != source and kinds[node] not in through:
                continue
            for _, other in sorted(out[node]):
                if other not in last:
                    last[other] = node
                    queue.append(other)
        links = []
        while target in last and target != source:
            links.insert(0, f"{last[target]}>{target}")
            target = last[target]
        return links

    for line in open(sys.argv[2]):
        if line.startswith("gpu "):
            bus_id, model = line[4:].strip().split(" ", 1)
            print("gpu", bus_id[4:].lower(), model)
    gpus = [node for node, kind in kinds.items() if kind == "gpu"]
    cpus = [node for node, kind in kinds.items() if kind == "cpu"]
    for cpu in sorted(cpus):
        print("memory", cpu)
    for name, rate in resources.items():
        print("rate", name, rates.get(name, rate))
    for name, rate, _ in shares:
        print("rate", name, rate)
    pairs = [(a, b, ["switch"]) for a in gpus for b in gpus if a != b]
    pairs += [(a, b, ["switch", "cpu"]) for gpu in gpus for cpu in cpus for a, b in ((gpu, cpu), (cpu, gpu))]
    for source, target, through in pairs:
        if links := path(source, target, through):
            print("path", source, target, *links, *(name for name, _, of in shares if of & set(links)))


main()
