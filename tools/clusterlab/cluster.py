"""A .topo as servers, NICs and networks: what the laboratory builds, before anything is built."""
import json
import pathlib
import re

from .errors import LabError


class Nic:
    """One NIC node: an interface of its server, at one end of one link."""

    def __init__(self, name, server, number, device, other):
        self.name, self.server, self.number = name, server, number
        self.device = device  # eth0
        self.other = other  # the node at the other end: a switch, or a NIC of another server
        self.network = self.address = None  # number of the network, and IPv4 address in its subnet


class Server:
    """GPUs, and what joins them without the network."""

    def __init__(self, number, gpus):
        self.number, self.name = number, f"server{number}"
        self.gpus = gpus  # numbers in the cluster
        self.nics = []


class Wire:
    """A link of the network, with bits per second from `one` to `other` and back."""

    def __init__(self, one, other):
        self.ends = (one, other)
        self.rates = {}

    def names(self):
        """What events call it: as --without-link does."""
        return [f"{self.ends[0]}:{self.ends[1]}", f"{self.ends[1]}:{self.ends[0]}"]


def without_comments(text):
    """JSON of JSON with // and /* */ comments, which may stand everywhere but in a string."""
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return token.sub(lambda match: match[0] if match[0].startswith('"') else " ", text)


def components(nodes, edges):
    """Sets of nodes that edges join, in the order of their first nodes."""
    near = {node: [] for node in nodes}
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    found, seen = [], set()
    for node in nodes:
        if node in seen:
            continue
        seen.add(node)
        reached = [node]
        for at in reached:
            for other in near[at]:
                if other not in seen:
                    seen.add(other)
                    reached.append(other)
        found.append(set(reached))
    return found


class Cluster:
    """Servers are the components of the graph without its nic nodes and network links."""

    def __init__(self, data, path="topology"):
        self.path = path
        try:
            self.name = data.get("name", pathlib.Path(path).stem)
            self.kinds = {node["id"]: node["kind"] for node in data["nodes"]}
            self.devices = {node["id"]: node["device"] for node in data["nodes"] if node.get("device")}
            links = [(link["from"], link["to"], link.get("kind", "nvlink"), link["bandwidth"] * link.get("count", 1),
                      link.get("directed", False)) for link in data["links"]]
            for one, other, *_ in links:
                self.kinds[one], self.kinds[other]
        except (KeyError, TypeError, AttributeError) as error:
            raise LabError(f"{path}: not a topology: {error!r}; blinkc bound {path} says what is wrong") from None
        self.find_servers(links)
        self.find_wires(links)
        self.find_nics(links)
        self.find_networks()

    @classmethod
    def read(cls, path):
        try:
            return cls(json.loads(without_comments(pathlib.Path(path).read_text(encoding="utf-8-sig"))), str(path))
        except OSError as error:
            raise LabError(f"{path}: {error.strerror}") from None
        except ValueError as error:
            raise LabError(f"{path}: not JSON: {error}") from None

    def refuse(self, sentence):
        raise LabError(f"{self.path}: {sentence}")

    def find_servers(self, links):
        inside = [(one, other) for one, other, kind, *_ in links
                  if kind != "network" and "nic" not in (self.kinds[one], self.kinds[other])]
        gpus = [name for name, kind in self.kinds.items() if kind == "gpu"]
        self.gpus = gpus
        self.servers, self.server_of = [], {}
        for nodes in components([name for name, kind in self.kinds.items() if kind != "nic"], inside):
            mine = [number for number, name in enumerate(gpus) if name in nodes]
            if mine:
                server = Server(len(self.servers), mine)
                self.servers.append(server)
                self.server_of.update({node: server for node in nodes})
        self.server_of_gpu = {gpu: server for server in self.servers for gpu in server.gpus}
        if not self.servers:
            self.refuse("no gpu node, so there is nobody to run a command")

    def find_wires(self, links):
        """Links between NICs and switches of the network."""
        self.wires = []
        for one, other, kind, bandwidth, directed in links:
            for end in (one, other):
                if kind == "network" and end in self.server_of:
                    self.refuse(f"the network link {one}:{other} ends in '{end}', a part of {self.server_of[end].name}; "
                                "the lab needs a nic node between the two")
            if one not in self.server_of and other not in self.server_of:
                wire = next((wire for wire in self.wires if set(wire.ends) == {one, other}), None)
                if not wire:
                    wire = Wire(one, other)
                    self.wires.append(wire)
                for source in [one] if directed else [one, other]:
                    wire.rates[source] = wire.rates.get(source, 0) + bandwidth * 8e9
        for wire in self.wires:
            if len(wire.rates) != 2:
                self.refuse(f"the network link {wire.names()[0]} goes one way only; the lab needs both")

    def find_nics(self, links):
        self.nics = {}
        for name, kind in self.kinds.items():
            if kind != "nic":
                continue
            owners = {self.server_of[end].number for one, other, *_ in links if name in (one, other)
                      for end in (one, other) if end in self.server_of}
            outside = [end for wire in self.wires if name in wire.ends for end in wire.ends if end != name]
            if len(owners) != 1 or len(outside) != 1:
                self.refuse(f"the nic node '{name}' has links to {len(owners)} servers and {len(outside)} nodes of the "
                            "network; the lab needs one of each: a NIC is a part of one server and has one cable")
            server = self.servers[owners.pop()]
            number = len(server.nics)
            self.nics[name] = Nic(name, server, number, self.devices.get(name, f"eth{number}"), outside[0])
            server.nics.append(self.nics[name])
        for server in self.servers:
            devices = [nic.device for nic in server.nics]
            for device in devices:
                if devices.count(device) > 1 or not re.fullmatch(r"[A-Za-z0-9_.-]{1,15}", device):
                    self.refuse(f"'{device}' of {server.name} cannot be the name of an interface, or two NICs have it")

    def find_networks(self):
        """Networks are what wires join; one subnet each. A network of bridges must have no circles."""
        nodes = list(dict.fromkeys(end for wire in self.wires for end in wire.ends))
        self.switches = [node for node in nodes if node not in self.nics]
        self.networks = components(nodes, [wire.ends for wire in self.wires])
        for number, network in enumerate(self.networks):
            if sum(wire.ends[0] in network for wire in self.wires) >= len(network):
                self.refuse(f"the links of the network of '{next(iter(sorted(network)))}' form a circle; the lab makes "
                            "bridges of its switches, which need exactly one way between two servers")
            mine = [nic for nic in self.nics.values() if nic.name in network]
            if len(mine) > 250 or number > 250:
                self.refuse("the lab has addresses for 250 NICs a network and for 250 networks")
            for host, nic in enumerate(mine, 1):
                nic.network, nic.address = number, f"10.77.{number}.{host}"

    def wire_named(self, name):
        """By a NIC, or by both its ends."""
        for wire in self.wires:
            if name in wire.names() or (name in self.nics and name in wire.ends):
                return wire
        raise LabError(f"there is no link '{name}'; links are: " +
                       ", ".join([*self.nics, *(wire.names()[0] for wire in self.wires
                                                if not set(wire.ends) & set(self.nics))]))

    def server_named(self, name):
        for server in self.servers:
            if name == server.name:
                return server
        raise LabError(f"there is no server '{name}'; they are server0 to {self.servers[-1].name}")

    def placement(self, text=None, ranks=None):
        """The GPU of each rank. '3+5': three GPUs of server 0, then five of server 1; a number of ranks: the first
        GPUs of the file; neither: all."""
        everything = list(range(len(self.gpus)))
        if text is not None:
            words = text.split("+")
            if not all(word.isdecimal() for word in words) or len(words) > len(self.servers):
                raise LabError(f"--placement {text}: expected up to {len(self.servers)} numbers of GPUs, one a server, "
                               "as in 3+5")
            chosen = []
            for server, word in zip(self.servers, words):
                if int(word) > len(server.gpus):
                    raise LabError(f"--placement {text}: {server.name} has {len(server.gpus)} GPUs")
                chosen += server.gpus[:int(word)]
            everything = chosen
        if ranks is not None:
            if not 1 <= ranks <= len(everything):
                raise LabError(f"--ranks {ranks}: expected 1 to {len(everything)}, the number of GPUs")
            everything = everything[:ranks]
        if not everything:
            raise LabError("no rank is to be started")
        return everything
