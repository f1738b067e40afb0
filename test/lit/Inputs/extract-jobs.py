"""Takes schedules for random jobs out of a bundle, proves and replays them."""
import random
import subprocess
import sys

folder, topology = sys.argv[1:3]
bundle, one = f"{folder}/jobs.sched", f"{folder}/job.sched"
COLLECTIVES = "allreduce broadcast reduce allgather reducescatter gather scatter alltoall".split()


def blinkc(*arguments):
    done = subprocess.run(["blinkc", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


blinkc("compile", topology, "--allocations", "2-3", "-o", bundle)
random.seed(7)
count = 0
for collective in COLLECTIVES * 3:
    gpus = random.sample(range(8), random.choice([2, 3, 3, 3]))
    root = str(random.randrange(len(gpus)))
    job = ["-g", ",".join(map(str, gpus)), "-c", collective, "-r", root]
    report = blinkc("extract", bundle, *job, "-o", one)
    assert f"GPUs {','.join(map(str, gpus))}\n" in report, report
    assert collective not in COLLECTIVES[1:3] + COLLECTIVES[5:7] or f"rank {root} on" in report, report
    assert "verified:" in blinkc("verify", one)
    assert blinkc("explain", bundle, *job) == blinkc("explain", one)
    replayed = [blinkc("run", file, *of, "--bytes", "100000").split("  time")[0] for file, of in [(one, []), (bundle, job)]]
    assert " 0 wrong" in replayed[0] and replayed[0] == replayed[1]
    count += 1
print(f"{count} schedules extracted, verified and replayed")
