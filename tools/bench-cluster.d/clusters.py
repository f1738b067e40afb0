"""The clusters of tools/bench-cluster: small, slow and awkward enough for two processors to play.

    python3 tools/bench-cluster.d/clusters.py FOLDER     writes a .topo file for each

A NIC has 200 Mbit/s (25 MB/s) unless told otherwise, so that a machine with two processors carries 16 ranks; a network
that is 500 times slower than 100 Gbit/s makes 16 MiB weigh what 8 GB weigh there. The ranks of a server meet in one
switch node, over links that are fast beside the network.
"""
import json
import pathlib
import sys

NIC = 0.025  # GB/s
INSIDE = 2.0  # GB/s, from a rank to its server's memory and from there to a NIC
HOP = 10.0  # microseconds from a NIC to a switch: under load, 8 bytes take 8 to 24 from NIC to NIC
BUS = 1.0  # microseconds inside a server


class Builder:
    """A .topo, server by server. Switches of the network come where they are first named."""

    def __init__(self, name, description):
        self.name, self.description = name, description
        self.nodes, self.switches, self.links = [], [], []
        self.servers = 0

    def link(self, one, other, bandwidth, latency, kind):
        self.links.append({"from": one, "to": other, "bandwidth": bandwidth, "latency": latency, "kind": kind})

    def switch(self, name):
        if name not in self.switches:
            self.switches.append(name)

    def server(self, ranks, nics):
        """`nics`: [switch, GB/s] of each."""
        me, self.servers = f"s{self.servers}", self.servers + 1
        self.nodes += [(f"{me}g{i}", "gpu") for i in range(ranks)]
        self.nodes.append((f"{me}mem", "switch"))
        for i in range(ranks):
            self.link(f"{me}g{i}", f"{me}mem", INSIDE, BUS, "c2c")
        for i, (switch, rate) in enumerate(nics):
            self.switch(switch)
            self.nodes.append((f"{me}nic{i}", "nic"))
            self.link(f"{me}mem", f"{me}nic{i}", INSIDE, BUS, "pcie")
            self.link(f"{me}nic{i}", switch, rate, HOP, "network")

    def topology(self):
        return {"format": "blink-topology", "version": 1, "name": self.name, "description": self.description,
                "nodes": [{"id": name, "kind": kind} for name, kind in self.nodes] +
                         [{"id": name, "kind": "switch"} for name in self.switches],
                "links": self.links}

    def text(self):
        """One node or link a line."""
        data = self.topology()
        parts = [f'  "{key}": {json.dumps(data[key])}' for key in ("format", "version", "name", "description")]
        for key in ("nodes", "links"):
            parts.append(f'  "{key}": [\n' + ",\n".join(f"    {json.dumps(one)}" for one in data[key]) + "\n  ]")
        return "{\n" + ",\n".join(parts) + "\n}\n"


def flat(name, ranks, description, rates=None):
    """One network; ranks of each server, GB/s of each NIC."""
    builder = Builder(name, description)
    for i, count in enumerate(ranks):
        builder.server(count, [("net0", rates[i] if rates else NIC)])
    return builder


def rails(name, nics, description):
    """A rank a server; for each the GB/s of its NIC to network 0, 1, ..., 0 where it has none."""
    builder = Builder(name, description)
    for rates in nics:
        builder.server(1, [(f"net{rail}", rate) for rail, rate in enumerate(rates) if rate])
    return builder


def racks(name, racks_of_servers, description):
    """A rank a server, two racks of four with an uplink of a quarter of their NICs."""
    builder = Builder(name, description)
    for rack in racks_of_servers:
        builder.server(1, [(f"rack{rack}", NIC)])
    builder.link("rack0", "rack1", NIC, HOP, "network")
    return builder


def clusters():
    """Name -> Builder."""
    made = [
        flat("flat4", [1] * 4, "4 servers x 1 rank"),
        flat("flat8", [1] * 8, "8 servers x 1 rank"),
        flat("flat4x2", [2] * 4, "4 servers x 2 ranks"),
        flat("flat4x4", [4] * 4, "4 servers x 4 ranks"),
        flat("frag35", [3, 5], "2 servers, 3 + 5 ranks"),
        flat("frag134", [1, 3, 4], "3 servers, 1 + 3 + 4 ranks"),
        flat("slow8", [1] * 8, "8 x 1, one NIC has a quarter", [NIC] * 7 + [NIC / 4]),
        flat("mixed8", [1] * 8, "8 x 1, every other NIC has twice as much", [NIC, 2 * NIC] * 4),
        flat("halfrate4", [2] * 4, "4 x 2, one NIC has half", [NIC] * 3 + [NIC / 2]),
        rails("dual4", [(NIC, NIC)] * 4, "4 x 1, two rails"),
        rails("unequal4", [(NIC, NIC / 2)] * 4, "4 x 1, two rails, the second has half"),
        rails("half4", [(NIC, NIC), (NIC, 0)] * 2, "4 x 1, every other server has two rails"),
        racks("rack8i", [0, 1] * 4, "8 x 1, two racks, 4:1 between them, ranks alternate"),
        racks("rack8c", [0] * 4 + [1] * 4, "8 x 1, two racks, 4:1 between them, ranks in order"),
    ]
    return {builder.name: builder for builder in made}


def write(folder, names=None):
    """Writes the .topo files, of all clusters or the named ones. Name -> path."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for name, builder in clusters().items():
        if names is None or name in names:
            paths[name] = folder / f"{name}.topo"
            paths[name].write_text(builder.text())
    return paths


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: clusters.py FOLDER")
    write(sys.argv[1])
