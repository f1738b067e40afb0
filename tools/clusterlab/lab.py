"""The laboratory: makes a cluster's servers, starts commands in them, lets things happen, removes everything."""
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import tempfile

from . import agents, processes, wiring
from .errors import LabError
from .events import VERBS, Event
from .job import Job, Rank, start
from .namespaces import Namespaces

PREFIX = "blink-lab-"
PORT = 29500  # torchrun's; each namespace has its own


class Lab:
    """A context. `loopback`: all ranks on this machine's loopback interface, without namespaces and bandwidths.
    `control`: one more network, ctl0 on all servers, over which launchers talk. `check`: called again and again where the
    lab may be left by an exception, so that what has been started is known and removed."""

    def __init__(self, cluster, loopback=False, control=False, check=None):
        self.cluster, self.loopback, self.control, self.check = cluster, loopback, control, check or (lambda: None)
        self.places, self.middle, self.jobs = [], None, []
        self.folder = self.agents = self.wiring = None

    def __enter__(self):
        try:
            self.make_folder()
            if not self.loopback:
                self.make_servers()
            self.agents = agents.Agents(self)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # Closes namespaces first, which ends all processes in them.
        for place in [*self.places, *([self.middle] if self.middle else [])]:
            place.close()
        for job in self.jobs:
            job.close()
        if self.agents:
            self.agents.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.close(self.lock)
        self.places, self.middle, self.jobs, self.folder, self.agents = [], None, [], None, None

    def make_folder(self):
        """Whose lab is alive has its folder locked; others are what a lab left that was killed."""
        base = pathlib.Path(tempfile.gettempdir())
        for old in base.glob(f"{PREFIX}*"):
            try:
                if old.is_dir() and not old.is_symlink() and old.stat().st_uid == os.geteuid():
                    fd = os.open(old, os.O_RDONLY)
                    try:
                        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        shutil.rmtree(old, ignore_errors=True)
                    finally:
                        os.close(fd)
            except OSError:
                pass  # in use, or removed by another lab
        # Locks the folder before it gets a name that other labs look at.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f".{PREFIX}{os.getpid()}-"))
        self.lock = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.folder = self.folder.rename(self.folder.with_name(self.folder.name[1:]))

    def make_servers(self):
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 localhost\n::1 localhost\n" +
                         "".join(f"{self.address(server)} {server.name}\n" for server in self.cluster.servers))
        for server in self.cluster.servers:
            self.places.append(Namespaces(server.name, hosts))
            self.check()
        self.middle = Namespaces("network", hosts)
        for place in [*self.places, self.middle]:
            place.wait(self.check)
        self.wiring = wiring.Wiring(self.cluster, self.middle, self.places, self.control)
        self.wiring.build()
        self.check()

    def address(self, server):
        """By which launchers reach a server."""
        if self.loopback:
            return f"127.0.0.{server.number + 1}"
        if self.control:
            return wiring.control_address(server)
        return server.nics[0].address if server.nics else "127.0.0.1"

    def environment(self, server, placement=None):
        """What every process of the lab gets; with a placement also what mpirun needs to know."""
        environment = {**os.environ, "BLINK_LAB_SERVER": server.name, "BLINK_LAB_ADDRESS": self.address(server),
                       "BLINK_LAB_AGENT": self.agent(),
                       "BLINK_LAB_SOCKET": str(self.agents.path)}
        if not self.loopback:  # no name server is reachable: limits the wait for one
            environment.setdefault("RES_OPTIONS", "timeout:1 attempts:1")
        if placement is not None:
            environment["BLINK_LAB_HOSTS"] = self.hosts(placement)
        return environment

    def agent(self):
        """A program that does as ssh does, from within a server."""
        return str(pathlib.Path(__file__).with_name("agent"))

    def hosts(self, placement):
        """server0:3,server1:5, for mpirun."""
        counts = {}
        for gpu in placement:
            name = self.cluster.server_of_gpu[gpu].name
            counts[name] = counts.get(name, 0) + 1
        return ",".join(f"{name}:{count}" for name, count in counts.items())

    def inside(self, server):
        """The beginning of a command that is to run in a server, in this folder."""
        if self.loopback:
            # The process ends together with the thread that started it, however that ends.
            return ["setpriv", "--pdeathsig", "KILL", "--"]
        return [*self.places[server.number].inside(), "--", "env", "-C", os.getcwd(), "--"]

    def spawn(self, server, command, environment):
        """A process in a server."""
        return start([*self.inside(server), *command], environment)

    def start(self, command, placement=None, said=None):
        """A Job: the command once a rank, with torchrun's names in the environment."""
        placement = self.cluster.placement() if placement is None else placement
        servers = [self.cluster.server_of_gpu[gpu] for gpu in placement]
        port = PORT if not self.loopback else free_port()
        ranks = []
        try:
            for number, server in enumerate(servers):
                self.check()
                environment = {
                    **self.environment(server, placement), "RANK": str(number), "WORLD_SIZE": str(len(servers)),
                    "LOCAL_RANK": str(servers[:number].count(server)), "LOCAL_WORLD_SIZE": str(servers.count(server)),
                    "MASTER_ADDR": self.address(servers[0]), "MASTER_PORT": str(port)}
                ranks.append(Rank(number, server, self.spawn(server, command, environment)))
        finally:
            job = self.adopt(ranks, said)
        return job

    def once(self, command, placement=None, said=None):
        """A Job with the command one time, in the first server, for launchers that start the ranks themselves."""
        placement = self.cluster.placement() if placement is None else placement
        server = self.cluster.servers[0]
        process = self.spawn(server, command, self.environment(server, placement))
        return self.adopt([Rank(0, server, process)], said)

    def clear(self):
        """Ends all processes of all servers, which stay; e.g. what a launcher has left."""
        for server in self.cluster.servers:
            self.signal_server(server, signal.SIGKILL)

    def adopt(self, ranks, said):
        self.jobs = [job for job in self.jobs if job.running()] + [Job(ranks, said, self.check)]
        return self.jobs[-1]

    def apply(self, event):
        """Lets an Event happen, or what its text says."""
        event = Event(event) if isinstance(event, str) else event
        if VERBS[event.verb] == "link":
            return self.change_link(event)
        number = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "cont": signal.SIGCONT}[event.verb]
        if event.rank is not None:
            for job in self.jobs:
                job.signal([rank for rank in job.ranks if rank.number == event.rank], number)
            return None
        return self.signal_server(self.cluster.server_named(event.server), number)

    def change_link(self, event):
        wire = self.cluster.wire_named(event.target)
        if self.loopback:
            raise LabError(f"event '{event.text}': there are no links on loopback; without --loopback there are")
        number = self.cluster.wires.index(wire)
        if event.verb == "rate":
            self.wiring.shape([number], event.fraction)
        else:
            self.wiring.plug(number, event.verb == "up")

    def signal_server(self, server, number):
        """All processes of a server."""
        for job in self.jobs:
            mine = [rank for rank in job.ranks if rank.server is server]
            if self.loopback or number == signal.SIGKILL:
                job.signal(mine, number)
        if self.loopback:
            return
        place = self.places[server.number]
        for process in place.members():
            processes.send(process, number)
        if number == signal.SIGCONT:  # nsenter, outside, is stopped together with what it started
            for job in self.jobs:
                job.signal([rank for rank in job.ranks if rank.server is server], number)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
