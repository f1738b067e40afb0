#!/usr/bin/env python3
"""Runs an execution plan of MSCCL++ on symbols, and judges it.

    run-mscclpp.py PLAN [--root R] [--half] [--in-place] [--orders N] [--break]

A cell is a piece of a chunk; its value is the set of inputs whose sum it is. All ranks run the plan three times in a
row, each time on new inputs, and between two runs a rank reads its output, as a program would.

What orders two accesses: within a thread block `nop` (and only it: threads run ahead of each other, so a `wait` holds
back what is behind the next `nop`, and a `signal` tells of what is before the last one), the end of a kernel, and the
n-th wait of a channel, which comes after the n-th signal of its other side. Accesses of a cell that nothing orders, one
of them a write, are an error whatever order they happened to run in (vector clocks), and so is a deadlock.

--half      a chunk is one and a half units of its pipelines; without, one
--in-place  output and input are the same memory, as far as they are in NCCL
--orders N  the orders to run ranks and thread blocks in: by turns, each rank as late as can be, N by chance
--break     breaks the plan in every way that leaves out one operation, or moves one operand by a chunk, of rank 0 and
            the last; succeeds if every broken plan is found
"""
import argparse
import json
import pickle
import random
import sys

RUNS = 3
MOST_OPS, MOST_CHANNELS, MOST_BUFFERS, MOST_PEERS, MOST_BLOCKS = 64, 16, 16, 8, 80
TWO_WAYS = {"allgather": ("i", "o"), "reducescatter": ("o", "i")}  # in place: the small buffer, the large one


class Wrong(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Wrong(text)


class Cell:
    def __init__(self):
        self.value = None
        self.write = None  # (actor, segment, operation)
        self.reads = {}    # actor: {operation: segment}


class Block:
    """A thread block, or the program that calls the plan (with no operations)."""

    def __init__(self, actor):
        self.actor, self.segment, self.later = actor, 0, []
        # By actor, how many of its segments are known to be over: in `news`, or in what ranks knew at their begin.
        self.news, self.begins = {}, []
        self.ops, self.next = [], 0

    def published(self):
        return self.begins[:], {**self.news, self.actor: self.segment}

    def join(self, clock):
        begins, news = clock
        self.begins += [begin for begin in begins if not any(begin is known for known in self.begins)]
        for actor, segment in news.items():
            if segment > self.news.get(actor, 0):
                self.news[actor] = segment

    def flatten(self):
        for begin in self.begins:
            for actor, segment in begin.items():
                if segment > self.news.get(actor, 0):
                    self.news[actor] = segment
        self.begins, self.news = [self.news], {}

    def sync(self):
        for clock in self.later:
            self.join(clock)
        self.later = []
        self.segment += 1

    def ordered(self, access, operation):
        actor, segment, other = access
        if actor == self.actor:
            return segment < self.segment or other is operation
        return segment < self.news.get(actor, 0) or any(segment < begin.get(actor, 0) for begin in self.begins)


class Machine:
    def __init__(self, plan, root, half, in_place):
        self.plan, self.root, self.in_place = plan, root, in_place
        self.gpus, self.collective = plan["gpus"], plan["collective"]
        self.n = len(self.gpus)
        self.chunk, self.unit = (3, 2) if half else (1, 1)  # in cells
        first = self.gpus[0]
        self.inputs, self.outputs = first["input_chunks"], first["output_chunks"]
        self.check_header()
        self.memory = [self.allocate(gpu) for gpu in self.gpus]
        self.pair_channels()
        self.blocks = [[self.load(r, tb) for tb in gpu["threadblocks"]] for r, gpu in enumerate(self.gpus)]
        self.user = [Block((r, "program")) for r in range(self.n)]

    # --- what the executor reads before it runs anything
    def check_header(self):
        plan = self.plan
        need(plan["protocol"] == "Simple" and not plan["reuse_resources"] and not plan["use_double_scratch_buffer"],
             "not this kind of plan")
        per_rank = {"allgather": (1, self.n), "reducescatter": (self.n, 1)}.get(self.collective, (1, 1))
        need(self.inputs * per_rank[1] == self.outputs * per_rank[0], "chunks of input and output differ in size")
        whole = max(self.inputs, self.outputs)
        need(plan["min_message_size"] == whole * plan["buffer_alignment"], "least size")
        most = plan["max_message_size"] // whole
        need(most * whole == plan["max_message_size"] and most % plan["buffer_alignment"] == 0, "largest size")
        for rank, gpu in enumerate(self.gpus):
            need(gpu["id"] == rank and gpu["input_chunks"] == self.inputs and gpu["output_chunks"] == self.outputs,
                 "gpus differ")
            need(max(whole, gpu["scratch_chunks"]) * most < 2**32, "offsets beyond 32 bits")
            need(1 <= len(gpu["threadblocks"]) <= MOST_BLOCKS, f"rank {rank}: {len(gpu['threadblocks'])} thread blocks")
            for tb in gpu["threadblocks"]:
                for op in tb["ops"]:
                    if op["name"] == "pipeline":
                        context = op["iter_context"]
                        need(-(-context["num_chunks"] * most // context["unit_size"]) < 2**16, "rounds beyond 16 bits")

    def allocate(self, gpu):
        """By type, the list of cells and where it begins in it."""
        cells = {"i": self.inputs, "o": self.outputs, "s": gpu["scratch_chunks"]}
        lists = {kind: ([Cell() for _ in range(size * self.chunk)], 0) for kind, size in cells.items()}
        if self.in_place:
            small, large = TWO_WAYS.get(self.collective, ("i", "o"))
            begin = gpu["id"] * cells[small] * self.chunk if cells[small] != cells[large] else 0
            lists[small] = lists[large][0], begin
        return lists

    def pair_channels(self):
        """By rank and channel: (peer, its channel); the k-th of a pair at one end is the k-th at the other."""
        ends, self.other = {}, []
        for rank, gpu in enumerate(self.gpus):
            peers = []
            for entry in gpu["channels"]:
                need(entry["channel_type"] == "memory", "channel type")
                peers += entry["connected_to"]
            for channel, peer in enumerate(peers):
                ends.setdefault((rank, peer), []).append(channel)
            self.other.append([None] * len(peers))
        for (rank, peer), channels in ends.items():
            back = ends.get((peer, rank), [])
            need(len(back) == len(channels), f"channels between {rank} and {peer}")
            for a, b in zip(channels, back):
                self.other[rank][a] = (peer, b)
        self.signals = {}  # (rank, channel) that are signalled: clocks
        self.waits = {}    # likewise, how many were waited for
        self.sides = {}    # who signals or waits

    # --- thread blocks
    def load(self, rank, tb):
        block = Block((rank, tb["id"]))
        gpu = self.gpus[rank]
        channels = [c for entry in tb["channels"] for c in entry["channel_ids"]]
        refs = [b for entry in tb["remote_buffer_refs"] for b in entry["remote_buffer_ids"]]
        need(len(channels) <= MOST_CHANNELS and len(refs) <= MOST_BUFFERS, f"rank {rank}: channels or buffers")
        need(all(c < len(self.other[rank]) for c in channels), f"rank {rank}: channel")
        count = 0
        for op in tb["ops"]:
            inner = op["ops"] if op["name"] == "pipeline" else []
            count += 1 + len(inner)
            if op["name"] != "pipeline":
                block.ops.append(self.decode(rank, gpu, channels, refs, op, None, 0))
                continue
            chunks = op["iter_context"]["num_chunks"]
            rounds = -(-chunks * self.chunk // self.unit)
            for i in range(rounds):
                block.ops += [self.decode(rank, gpu, channels, refs, each, chunks, i) for each in inner]
        need(count <= MOST_OPS, f"rank {rank}: {count} operations in a thread block")
        return block

    def decode(self, rank, gpu, channels, refs, op, chunks, i):
        """(name, channels, sources, destinations), the last two as lists of cells."""
        name = op["name"]
        if name == "nop":
            return (name, [], [], [])
        if name in ("signal", "wait"):
            need(op["channel_type"] == "memory" and 0 < len(op["channel_ids"]) <= MOST_PEERS, f"channels of a {name}")
            return (name, [(rank, channels[c]) for c in op["channel_ids"]], [], [])
        need(name in ("put", "copy", "re", "res"), f"operation {name}")

        def cells(buffer):
            need(("type" in buffer) != ("buffer_id" in buffer), "buffer")
            owner, kind = rank, buffer.get("type")
            if "buffer_id" in buffer:
                need(op.get("channel_type") == "memory", "channel type")
                remote = gpu["remote_buffers"][refs[buffer["buffer_id"]]]
                need(remote["access_channel_types"] == ["memory"] and remote["rank"] != rank, "remote buffer")
                owner, kind = remote["rank"], remote["type"]
            need(chunks is None or buffer["size"] == chunks, "size of a pipeline's operand")
            memory, base = self.memory[owner][kind]
            size = {"i": self.inputs, "o": self.outputs, "s": self.gpus[owner]["scratch_chunks"]}[kind]
            need(0 <= buffer["index"] and buffer["index"] + buffer["size"] <= size, f"rank {rank}: beyond a buffer")
            begin = buffer["index"] * self.chunk
            end = begin + buffer["size"] * self.chunk
            if chunks is not None:
                begin, end = begin + i * self.unit, min(end, begin + (i + 1) * self.unit)
            return memory[base + begin:base + end]

        sources, destinations = op["src_buff"], op["dst_buff"]
        local = [["type" in b for b in side] for side in (sources, destinations)]
        need(all(local[0]), "remote source")
        need(local[1] == {"put": [False] * len(destinations)}.get(name, [True] + [False] * (len(destinations) - 1)),
             f"destinations of {name}")
        need(len(sources) <= MOST_PEERS + 2 and sum(not l for l in local[1]) <= MOST_PEERS, "operands")
        need(name not in ("put", "copy") or len(sources) == len(destinations), "sources of a put")
        need(name != "copy" or len(sources) == 1, "copy")
        return (name, [], [cells(b) for b in sources], [cells(b) for b in destinations])

    # --- running
    def read(self, block, cell, op, where):
        if cell.write is not None:
            need(block.ordered(cell.write, op), f"{where} reads what {cell.write[0]} may not have written yet")
        cell.reads.setdefault(block.actor, {})[id(op)] = block.segment, op
        need(cell.value is not None, f"{where} reads what nobody has written")
        return cell.value

    def write(self, block, cell, value, op, where):
        if cell.write is not None:
            need(block.ordered(cell.write, op), f"{where} writes where {cell.write[0]} may not have written yet")
        for actor, reads in cell.reads.items():
            for segment, other in reads.values():
                need(block.ordered((actor, segment, other), op), f"{where} writes where {actor} may not have read yet")
        cell.value, cell.write, cell.reads = value, (block.actor, block.segment, op), {}

    def can_run(self, block):
        if block.next == len(block.ops):
            return False
        name, channels, _, _ = block.ops[block.next]
        return name != "wait" or all(
            len(self.signals.get(self.other[r][c], [])) > self.waits.get((r, c), 0) for r, c in channels)

    def take_side(self, name, channel, block):
        need(self.sides.setdefault((name, channel), block) is block, f"two thread blocks {name} on one channel")

    def step(self, block):
        op = block.ops[block.next]
        name, channels, sources, destinations = op
        where = f"rank {block.actor[0]}, block {block.actor[1]}, {name} {block.next}"
        block.next += 1
        if name == "nop":
            block.sync()
        for channel in channels:
            self.take_side(name, channel, block)
            if name == "signal":
                self.signals.setdefault(channel, []).append(block.published())
            else:
                rank, number = channel
                seen = self.waits.get(channel, 0)
                self.waits[channel] = seen + 1
                block.later.append(self.signals[self.other[rank][number]][seen])
        if name == "put":
            for source, destination in zip(sources, destinations):
                for a, b in zip(source, destination):
                    self.write(block, b, self.read(block, a, op, where), op, where)
        elif sources:
            for i in range(len(destinations[0])):
                total = frozenset()
                for source in sources:
                    value = self.read(block, source[i], op, where)
                    need(not total & value, f"{where} adds {sorted(total & value)[:1]} twice")
                    total |= value
                for destination in destinations:
                    self.write(block, destination[i], total, op, where)

    def begin(self, rank, run):
        user = self.user[rank]
        blocks = self.blocks[rank]
        for block in blocks:
            block.sync()  # the end of the kernel
            user.join(block.published())
        user.flatten()
        user.sync()
        kinds = self.memory[rank]
        cells = lambda kind, size: kinds[kind][0][kinds[kind][1]:kinds[kind][1] + size * self.chunk]
        if run > 0:
            for i, cell in enumerate(cells("o", self.outputs)):
                wanted = self.wanted(rank, i, run - 1)
                if wanted is not None:
                    got = self.read(user, cell, user, f"rank {rank}'s program")
                    need(got == wanted, f"rank {rank}, output {i}: has {sorted(got)}; expected {sorted(wanted)}")
        user.sync()
        if run == RUNS:
            return
        for i, cell in enumerate(cells("i", self.inputs)):
            if not (self.collective == "broadcast" and rank != self.root):
                self.write(user, cell, frozenset([(rank, i, run)]), user, f"rank {rank}'s program")
        user.sync()
        for block in blocks:
            block.next = 0
            block.join(user.published())

    def wanted(self, rank, i, run):
        everybody = range(self.n)
        per_rank = min(self.inputs, self.outputs) * self.chunk
        if self.collective == "allreduce":
            return frozenset((r, i, run) for r in everybody)
        if self.collective == "reduce":
            return frozenset((r, i, run) for r in everybody) if rank == self.root else None
        if self.collective == "broadcast":
            return frozenset([(self.root, i, run)])
        if self.collective == "allgather":
            return frozenset([(i // per_rank, i % per_rank, run)])
        need(self.collective == "reducescatter", "collective")
        return frozenset((r, rank * per_rank + i, run) for r in everybody)

    def execute(self, order):
        runs = [0] * self.n
        for rank in range(self.n):
            self.begin(rank, 0)
        alive = set(range(self.n))
        while alive:
            ready = []
            for rank in sorted(alive):
                if all(block.next == len(block.ops) for block in self.blocks[rank]):
                    runs[rank] += 1
                    self.begin(rank, runs[rank])
                    if runs[rank] == RUNS:
                        alive.discard(rank)
                        continue
                ready += [block for block in self.blocks[rank] if self.can_run(block)]
            if not ready and alive:
                stuck = [b for r in sorted(alive) for b in self.blocks[r] if b.next < len(b.ops)]
                need(any(self.can_run(b) for b in stuck) or not stuck,
                     f"deadlock: {[f'{b.actor} in {b.ops[b.next][0]} {b.next}' for b in stuck[:4]]}")
            for block in order(ready):
                if self.can_run(block):
                    self.step(block)
        for channel, clocks in self.signals.items():
            rank, number = self.other[channel[0]][channel[1]]
            need(self.waits.get((rank, number), 0) == len(clocks), f"rank {channel[0]}: signals nobody waits for")


def orders(number, ranks):
    yield lambda ready: ready
    for late in range(ranks):
        yield lambda ready, late=late: [b for b in ready if b.actor[0] != late] or ready
    for seed in range(number):
        chance = random.Random(seed)
        yield lambda ready, chance=chance: chance.sample(ready, chance.randint(1, len(ready))) if ready else ready


def judge(plan, options):
    count = 0
    for order in orders(options.orders, len(plan["gpus"])):
        Machine(plan, options.root, options.half, options.in_place).execute(order)
        count += 1
    return count


def broken(plan):
    """Plans with one thing wrong each, and what that is."""
    kept = pickle.dumps(plan)  # a fifth quicker than copy.deepcopy
    ranks = sorted({0, len(plan["gpus"]) - 1})
    for rank in ranks:
        for b, tb in enumerate(plan["gpus"][rank]["threadblocks"]):
            lists = [("", tb["ops"])] + [(o, op["ops"]) for o, op in enumerate(tb["ops"]) if op["name"] == "pipeline"]
            for place, ops in lists:
                for o, op in enumerate(ops):
                    if op["name"] == "pipeline":
                        continue
                    changed = pickle.loads(kept)
                    target = changed["gpus"][rank]["threadblocks"][b]["ops"]
                    target = target if place == "" else target[place]["ops"]
                    del target[o]
                    yield f"rank {rank}, block {b}: no {op['name']} {place}.{o}", changed
                    for side in ("src_buff", "dst_buff"):
                        for k in range(len(op.get(side, []))):
                            changed = pickle.loads(kept)
                            target = changed["gpus"][rank]["threadblocks"][b]["ops"]
                            target = target if place == "" else target[place]["ops"]
                            target[o][side][k]["index"] += 1
                            yield f"rank {rank}, block {b}: {op['name']} {place}.{o} moved {side} {k}", changed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plan")
    parser.add_argument("--root", type=int, default=0)
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--in-place", action="store_true")
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--break", dest="breaks", action="store_true")
    options = parser.parse_args()
    plan = json.load(open(options.plan))
    try:
        count = judge(plan, options)
    except Wrong as error:
        sys.exit(f"{options.plan}: {error}")
    blocks = max(len(gpu["threadblocks"]) for gpu in plan["gpus"])
    print(f"{plan['collective']} of {len(plan['gpus'])} ranks in {blocks} thread blocks: right in {count} orders")
    if options.breaks:
        found = total = 0
        for what, changed in broken(plan):
            total += 1
            try:
                judge(changed, options)
                print("not found:", what)
            except Wrong:
                found += 1
        print(f"broken plans: {found} of {total} found")
        sys.exit(found != total)


main()
