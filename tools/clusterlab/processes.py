"""Processes as /proc shows them, from outside of the namespaces that they are in."""
import os
import signal


def parents():
    """Process -> parent, of all processes."""
    found = {}
    for word in os.listdir("/proc"):
        if word.isdecimal():
            try:
                # The name, in parentheses, may contain anything.
                found[int(word)] = int(open(f"/proc/{word}/stat", "rb").read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError):
                pass  # it has ended
    return found


def below(process):
    """Children, their children and so on."""
    found, all_parents = [process], parents()
    for one in found:
        found += [child for child, parent in all_parents.items() if parent == one]
    return found[1:]


def namespace(process, kind):
    """What a namespace is called, None if the process is gone."""
    try:
        return os.readlink(f"/proc/{process}/ns/{kind}")
    except OSError:
        return None


def in_namespace(name, kind):
    return [process for process in parents() if namespace(process, kind) == name]


def send(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def kill_group(process):
    """The process group that a child leads, which has not been waited for."""
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        pass
