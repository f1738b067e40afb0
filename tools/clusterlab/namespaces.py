"""Servers as namespaces: network, host name, IPC, mounts and processes of their own.

Nothing has a name outside, and a namespace is gone with its first process, which ends when the laboratory's end of a
pipe is closed: what a laboratory leaves when it is killed is removed by the kernel at that moment.
"""
import select
import subprocess

from . import processes
from .errors import LabError

SECONDS = 60  # limit of a configuration command
# The first process of a server. It mounts /sys, where UCX looks for interfaces, since /sys shows those of the namespace
# that mounted it; and /dev/shm, since shared memory would connect servers. It also reaps orphans, so that no zombies
# are left.
FIRST = """
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /dev/shm
test ! -e /etc/hosts || mount --bind "$2" /etc/hosts
hostname "$1"
ip link set lo up
trap '' CHLD
echo ready
exec cat > /dev/null
"""
REMEDY = ("the lab needs root, or user namespaces, and Debian's util-linux and iproute2; --loopback does without "
          "namespaces and without links of a bandwidth")


class Namespaces:
    """One server, or the place where the switches are."""

    def __init__(self, name, hosts):
        self.name = name
        command = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child=KILL",
                   "--mount-proc", "sh", "-ec", FIRST, "sh", name, str(hosts)]
        try:
            # A group of its own, as the lab handles signals from the terminal.
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, process_group=0)
        except OSError as error:
            raise LabError(f"cannot start unshare: {error.strerror}; {REMEDY}") from None
        self.first = None

    def wait(self, check):
        """Until it can be entered; separate, so that several are made at a time. `check` as of a Lab."""
        while not select.select([self.process.stdout], [], [], 0.1)[0]:
            check()
        if self.process.stdout.readline() != b"ready\n":
            self.process.kill()
            said = self.process.stderr.read().decode(errors="replace").strip()
            raise LabError(f"cannot make namespaces for {self.name}: {said or 'no reason is known'}; {REMEDY}")
        self.first = processes.below(self.process.pid)[0]
        self.processes_name = processes.namespace(self.first, "pid")

    def inside(self, *kinds):
        """The beginning of a command that is to run inside; of all namespaces unless told."""
        return ["nsenter", f"--target={self.first}",
                *(f"--{kind}" for kind in kinds or ("net", "uts", "ipc", "mount", "pid"))]

    def configure(self, program, lines):
        """Lines for ip or tc, each a command of it, with this network."""
        if lines:
            run([*self.inside("net"), program, "-batch", "-"], "\n".join(lines) + "\n")

    def sysctl(self, settings):
        if settings:
            run([*self.inside("net"), "sysctl", "-q", "-w", *settings])

    def members(self):
        """Processes inside, but for the first."""
        return [one for one in processes.in_namespace(self.processes_name, "pid") if one != self.first]

    def close(self):
        self.process.kill()  # the kernel then kills the first process, and with it all others
        self.process.wait(SECONDS)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


def run(command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        raise LabError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}\n{text}")
