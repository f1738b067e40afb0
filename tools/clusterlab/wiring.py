"""Networks of namespaces: bridges as switches, pairs of virtual interfaces as cables, token buckets as bandwidths."""

MTU = 9000
PORT_QUEUE = 1_000_000  # bytes that may wait at the end of a cable before packets are dropped
# A bucket that empties faster than timers are late loses rate; a larger one lets messages pass for free.
BURST_SECONDS = 0.0004
LEAST_BURST = MTU + 100  # bytes; a packet must fit
SEGMENTS = 16384  # bytes of a packet before it reaches a cable


def bucket(rate):
    """Words of tc for a rate in bits per second, headers of Ethernet included as on a real cable."""
    burst = max(int(rate / 8 * BURST_SECONDS), LEAST_BURST)
    return f"root tbf rate {int(rate)}bit burst {burst} limit {PORT_QUEUE}"


class Wiring:
    """What is built of a cluster's wires. `servers`: Namespaces of each, `middle`: those of the switches."""

    def __init__(self, cluster, middle, servers, control):
        self.cluster, self.middle, self.servers, self.control = cluster, middle, servers, control
        self.ends = {}  # (number of wire, end) -> Namespaces, interface

    def build(self):
        bridges = {name: f"b{number}" for number, name in enumerate(self.cluster.switches)}
        links = [f"link add {bridge} mtu {MTU} type bridge" for bridge in bridges.values()]
        for number, wire in enumerate(self.cluster.wires):
            links += self.cable(number, wire, bridges)
        if self.control:
            links += self.control_network()
        links += [f"link set {bridge} up" for bridge in bridges.values()]
        self.middle.configure("ip", links)
        for server in self.cluster.servers:
            self.configure_server(server)
        self.shape(range(len(self.cluster.wires)))

    def cable(self, number, wire, bridges):
        """Both ends begin in the middle, one is moved to a server, or both."""
        lines = []
        for side, end in zip("ab", wire.ends):
            nic = self.cluster.nics.get(end)
            self.ends[number, end] = ((self.servers[nic.server.number], nic.device) if nic else
                                      (self.middle, f"w{number}{side}"))
        lines.append(f"link add w{number}a mtu {MTU} gso_max_size {SEGMENTS} type veth "
                     f"peer name w{number}b mtu {MTU} gso_max_size {SEGMENTS}")
        for side, end in zip("ab", wire.ends):
            place, device = self.ends[number, end]
            if place is self.middle:
                lines.append(f"link set {device} master {bridges[end]} up")
            else:
                lines.append(f"link set w{number}{side} netns {place.first} name {device}")
        return lines

    def control_network(self):
        """Not shaped, and not for the data: launchers and agents go there."""
        lines = [f"link add ctl type bridge", "link set ctl up"]
        for server, place in zip(self.cluster.servers, self.servers):
            lines += [f"link add c{server.number} type veth peer name ctl0 netns {place.first}",
                      f"link set c{server.number} master ctl up"]
        return lines

    def configure_server(self, server):
        place = self.servers[server.number]
        links, settings = [], []
        for nic in server.nics:
            subnet = f"10.77.{nic.network}.0/24"
            # The route sets congestion control, as other namespaces than the first cannot replace the system's.
            route = f"{subnet} dev {nic.device} src {nic.address} congctl cubic"
            links += [f"link set {nic.device} up", f"address add {nic.address}/24 dev {nic.device} noprefixroute"]
            shared = [other for other in server.nics if other.network == nic.network]
            if nic is shared[0]:
                links.append(f"route add {route}")
            if len(shared) > 1:
                # Packets from an address use its cable, and no other interface answers ARP requests for it.
                links += [f"route add {route} table {100 + nic.number}",
                          f"rule add from {nic.address} table {100 + nic.number}"]
                settings = ["net.ipv4.conf.all.arp_ignore=1", "net.ipv4.conf.all.arp_announce=2"]
        if self.control:
            links += ["link set ctl0 up", f"address add {control_address(server)}/24 dev ctl0"]
        place.configure("ip", links)
        place.sysctl(settings)

    def shape(self, numbers, fraction=1.0):
        """Sets the bandwidths of wires, of both directions, anew."""
        lines = {}
        for number in numbers:
            for end in self.cluster.wires[number].ends:
                place, device = self.ends[number, end]
                rate = self.cluster.wires[number].rates[end] * fraction
                lines.setdefault(place, []).append(f"qdisc replace dev {device} {bucket(rate)}")
        for place, mine in lines.items():
            place.configure("tc", mine)

    def plug(self, number, up):
        """Pulls or plugs the cable, at the end of a switch if there is one: a NIC sees that it has no carrier."""
        end = next((end for end in self.cluster.wires[number].ends if end in self.cluster.switches),
                   self.cluster.wires[number].ends[0])
        place, device = self.ends[number, end]
        place.configure("ip", [f"link set {device} {'up' if up else 'down'}"])


def control_address(server):
    return f"10.78.0.{server.number + 1}"
