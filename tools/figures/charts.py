"""The charts of the pages, each made of its files of results."""
import json

from .chart import Axis, Chart, Panel, Row, powers, size_label
from .results import RESULTS, Wrong, records, using

COLLECTIVES = ["broadcast", "allreduce"]


def first(cell):
    """Of a pair [a, b] the a."""
    return cell[0] if isinstance(cell, list) else cell


def gpus(number):
    return f"{number} GPUs"


def rings(folder=RESULTS):
    """What trees gain over rings, for every class of allocations of a DGX-1V."""
    ratios = ["trees / rings", "trees / today's rings"]
    found = records("rings-dgx1v", folder)
    panels = [Panel(collective, [[record[f"{collective} {ratio}"] for record in found] for ratio in ratios])
              for collective in COLLECTIVES]
    most = max(max(values[0]) for values in (panel.values for panel in panels))
    return Chart(
        "Trees against rings on a DGX-1V, over NVLink",
        f"For each of the {len(found)} classes of allocations of 3 to 8 GPUs: the rate of Blink's trees by that of rings "
        f"on the same links, up to {most:g} times. Where no ring fits, NCCL of the paper's time went over PCIe; today's goes "
        "through another GPU. On the line nothing is gained. Rates are the model's, not measured.",
        Axis("times the rings' rate", 0.8, 5.2, {float(i): str(i) for i in range(1, 6)}),
        [Row(record["GPUs"], gpus(len(record["GPUs"]))) for record in found],
        ["by the rings of the paper's time", "by today's rings"], panels, line=1)


def compile_time(folder=RESULTS):
    """Seconds of compiling, by the number of GPUs."""
    blink, others = records("large-machines", folder), records("forestcoll", folder)
    machines = sorted({(record["GPUs"], record["topology"]) for record in blink})
    kinds = ["allgather", "allreduce"]
    own = {(record["topology"], record["collective"]): record["seconds"] for record in blink}
    other = {record["topology"]: record["seconds"] for record in others}
    if missing := set(other) - {name for _, name in machines}:
        raise Wrong(f"forestcoll.json: {', '.join(sorted(missing))} is not in large-machines.json")
    values = [[own.get((name, kind)) for _, name in machines] for kind in kinds]
    return Chart(
        "Time to compile, from 16 to 16,384 GPUs",
        "Seconds that blinkc takes for a schedule whose rate is the bound, one thread, and what ForestColl's generator "
        "took, where known. Both grow with the number of GPUs.",
        Axis("seconds", 0.01, 2000, powers(-2, 3, lambda value: f"{value:,}"), log=True),
        [Row(name, gpus(f"{number:,}")) for number, name in machines],
        [f"Blink, {kind}" for kind in kinds] + ["ForestColl's generator"],
        [Panel("", [*values, [other.get(name) for _, name in machines]])], marks=[0, 1, 2])


def host(folder=RESULTS):
    """How much longer OpenMPI and Gloo take than Blink on one host."""
    found = records("host", folder)
    cells = {(record["collective"], record["ranks"], record["bytes"]): record for record in found}
    peers = ["OpenMPI", "Gloo"]
    points = list(dict.fromkeys((record["ranks"], record["bytes"]) for record in found))

    def ratio(collective, point, peer):
        record = cells.get((collective, *point))
        return first(record[peer]) / first(record["processes"]) if record else None

    panels = [Panel(collective, [[ratio(collective, point, peer) for point in points] for peer in peers])
              for collective in dict.fromkeys(record["collective"] for record in found)]
    return Chart(
        "The host back end against OpenMPI and Gloo, a process a rank",
        "How many times as long as Blink the two take, by ranks and bytes of the whole buffer, each the least of five "
        "rounds on one host of two processors. Left of the line Blink would be slower.",
        Axis("times Blink's time", 0.5, 2000, powers(0, 3, lambda value: f"{value:,}"), log=True),
        [Row(size_label(size), f"{ranks} ranks") for ranks, size in points], peers, panels, line=1, marks=[2, 3])


def clusters(folder=RESULTS):
    """How much of the optimum Blink, OpenMPI and Gloo reach across servers."""
    found = records("cluster-shares", folder)
    names = list(dict.fromkeys(record["cluster"] for record in found))
    kinds = list(dict.fromkeys(record["collective"] for record in found))
    cells = {(record["collective"], record["cluster"]): record for record in found}
    programs = ["Blink", "OpenMPI", "Gloo"]
    panels = [Panel(kind, [[cells.get((kind, name), {}).get(f"{program}, 16 MiB") for name in names]
                           for program in programs]) for kind in kinds]
    return Chart(
        "Across servers: 16 MiB on shaped links",
        f"Per cent of the optimum that Blink, OpenMPI and Gloo reach on {len(names)} clusters of a laboratory. Blink is at "
        "94 to 99 everywhere; Gloo is at 98, too, for allreduce and allgather where all links are alike.",
        Axis("per cent of the optimum", 0, 100, {float(i): str(i) for i in range(0, 101, 25)}),
        [Row(name) for name in names], programs, panels, digits=1, marks=[0, 2, 3])


def pods(folder=RESULTS):
    """Time over size in large pods, beside two levels."""
    found = [record for record in records("pods", folder) if record["collective"] == "allreduce"]
    sizes = sorted({record["bytes"] for record in found})

    def values(number):
        cells = {record["bytes"]: record for record in found if record["GPUs"] == number}
        own = [cells.get(size) for size in sizes]
        return [[record and record["us"] for record in own], [record and record["two levels, us"] for record in own],
                [record and record["straggler"] and record["us"] * record["straggler"] for record in own]]

    panels = [Panel(gpus(f"{number:,}"), values(number)) for number in sorted({record["GPUs"] for record in found})]
    return Chart(
        "An allreduce of pods of DGX H100, simulated",
        "Microseconds that today's schedules take from 1 KiB to 1 GiB, what the best of two levels would take by a formula of "
        "the same costs, and what today's schedules take with a GPU that is half as fast.",
        Axis("microseconds", 10, 50000, powers(1, 4, lambda value: f"{value:,}"), log=True),
        [Row(size_label(size)) for size in sizes], ["Blink", "two levels", "Blink, a GPU half as fast"], panels, digits=0)


def gpu(folder=RESULTS):
    """Algbw on GPUs, by size."""
    rates = {}
    for lanes in (16, 4):
        path = folder / f"gpu/perf-{lanes}.json"  # of blink-perf
        with using(path):
            rates.update({(row["collective"], row["bytes"], lanes): row["out_of_place"]["algbw_gbps"]
                          for row in json.loads(path.read_text())["results"]})
    sizes, lanes = sorted({key[1] for key in rates}), sorted({key[2] for key in rates}, reverse=True)
    kinds = list(dict.fromkeys(key[0] for key in rates))
    panels = [Panel(kind, [[rates.get((kind, size, number)) for size in sizes] for number in lanes]) for kind in kinds]
    high = 10.0
    while high < max(rates.values()):
        high *= 10
    return Chart(
        "One GPU that all ranks share", "Algbw by bytes of the whole buffer, as measured by blink-perf.",
        Axis("GB/s", 0.01, high, powers(-2, len(str(int(high))) - 1, lambda value: f"{value:,}"), log=True),
        [Row(size_label(size)) for size in sizes], [f"at most {number} lanes a rank" for number in lanes], panels)


CHARTS = {"rings": rings, "compile-time": compile_time, "host": host, "clusters": clusters, "pods": pods, "gpu": gpu}
