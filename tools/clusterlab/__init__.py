"""The laboratory of tools/cluster-lab: a cluster on one machine, of namespaces and shaped links.

    with Lab(Cluster.read("flat4.topo")) as lab:
        job = lab.start(["blink-perf", ...])
        lab.apply("down:s1nic0")
        codes = job.wait(timeout=10)
"""
from . import calibrate
from .cluster import Cluster
from .errors import LabError
from .events import Event
from .lab import Lab

__all__ = ["calibrate", "Cluster", "Event", "Lab", "LabError"]
