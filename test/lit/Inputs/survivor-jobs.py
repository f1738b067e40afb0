"""Takes schedules for machines with a failed link out of a bundle, proves and
replays them, and compares their bounds with those of the solver."""
import itertools
import random
import re
import subprocess
import sys

folder, topology = sys.argv[1:3]
bundle, one = f"{folder}/survivors.sched", f"{folder}/survivor.sched"
SETS = ["0,1", "0,1,2", "0,1,2,3"]
COLLECTIVES = ["allreduce", "broadcast", "alltoall"]
LINKS = ["gpu0:gpu1", "gpu1:gpu0", "gpu2:gpu1", "gpu0:plx0", "plx0:cpu0", "gpu4:gpu0", "plx3:gpu7"]


def blinkc(*arguments):
    done = subprocess.run(["blinkc", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


blinkc("compile", topology, "--allocations", "/".join(SETS), "--survive", "links",
       "--collectives", ",".join(COLLECTIVES), "-o", bundle)
random.seed(3)
count = 0
for gpus, link, collective in itertools.product(SETS, LINKS, COLLECTIVES):
    job = gpus.split(",")
    random.shuffle(job)
    request = ["-g", ",".join(job), "-c", collective]
    if collective == "broadcast":
        request += ["-r", str(random.randrange(len(job)))]
    report = blinkc("extract", bundle, *request, "--without-link", link, "-o", one)
    bound = re.search(r"% of the bound, (\S+) GB/s", report).group(1)
    wanted = re.search(r"bound +(\S+) GB/s", blinkc("bound", topology, *request, "--without-link", link)).group(1)
    assert abs(float(bound) - float(wanted)) < 0.002, (report, wanted)
    assert "verified:" in blinkc("verify", one)
    a, b = link.split(":")
    lanes = blinkc("compile", one, "--emit=lanes")
    assert "via [" in lanes and "collective.link @" in lanes
    assert f"@{a}.{b} " not in lanes and f"@{b}.{a} " not in lanes, link
    count += 1
    if count % 9 == 0:
        assert " 0 wrong" in blinkc("run", one, "--bytes", "100000")
print(f"{count} schedules extracted, verified and compared")
