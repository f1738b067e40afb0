"""Gives blinkc the inputs that cost its readers most, each under 1 MB but where so many nodes need more.

    hostile.py FOLDER [NAME ...]             has blinkc read them, written to FOLDER; exit code 1 if one is answered in
                                             other words than are written here
    hostile.py --measure FOLDER [NAME ...]   a table instead: seconds of a processor and MB until blinkc ends, or
                                             until it says on a terminal what it does
"""
import os
import pathlib
import pty
import signal
import subprocess
import sys

BYTES = 1_000_000
MOST_MB = 1024
PROGRESS = "\r\x1b[K"  # what blinkc begins its line with
INPUTS = {}


def hostile(suffix, command, answer):
    """Registers a function that returns a text: NAME.SUFFIX, which `blinkc COMMAND NAME.SUFFIX` answers with a message
    that has `answer` in it; "" for any, None if it takes long, so that blinkc must say first that it is at work."""
    def register(make):
        INPUTS[make.__name__.replace("_", "-") + suffix] = (command, answer, make)
        return make
    return register


BOUND, IMPORT, COMPILE = ["bound"], ["import"], ["compile", "-o", "/dev/null"]


def topo(nodes, links):
    return '{"format":"blink-topology","version":1,"nodes":[%s],"links":[%s]}' % (",".join(nodes), ",".join(links))


def node(name, kind):
    return '{"id":"%s","kind":"%s"}' % (name, kind)


def link(a, b, more=""):
    return '{"from":"%s","to":"%s","bandwidth":1%s}' % (a, b, more)


def star(gpus):
    return topo([node(i, "gpu") for i in range(gpus)] + [node("s", "switch")], [link(i, "s") for i in range(gpus)])


def repeat(begin, part, end=""):
    return begin + part * ((BYTES - len(begin) - len(end)) // len(part)) + end


@hostile(".topo", BOUND, None)
def gpus_1024():
    return star(1024)


@hostile(".topo", BOUND, None)
def gpus_4096():
    return star(4096)


@hostile(".topo", BOUND, "between 100000000 pairs of them")
def gpus_10000():
    return star(10000)


@hostile(".topo", BOUND, "the most is 16384")
def gpus_without_links():
    return topo([node(i, "gpu") for i in range(30000)], [])


@hostile(".topo", BOUND, None)
def nodes_65534():  # beyond 1 MB, which so many nodes need
    return topo([node(i, "gpu" if i < 2 else "nic") for i in range(65534)], [link(0, 1)])


@hostile(".topo", BOUND, "too many nodes")
def nodes_65535():
    return topo([node(i, "gpu" if i < 2 else "nic") for i in range(65535)], [link(0, 1)])


@hostile(".topo", BOUND, "")
def chain():
    count = 12000
    return topo([node(i, "switch" if 0 < i < count - 1 else "gpu") for i in range(count)],
                [link(i, i + 1) for i in range(count - 1)])


@hostile(".topo", BOUND, None)
def chain_of_gpus():
    return topo([node(i, "gpu") for i in range(4096)], [link(i, i + 1) for i in range(4095)])


@hostile(".topo", BOUND, None)
def chain_of_950():  # 62 KB
    return topo([node(i, "gpu") for i in range(950)], [link(i, i + 1) for i in range(949)])


@hostile(".topo", BOUND, "")
def parallel_links():
    return topo([node(0, "gpu"), node(1, "gpu")], [link(0, 1)] * 25000)


@hostile(".topo", BOUND, "cannot reach")
def grid():
    side = 130
    names = [[y * side + x for x in range(side)] for y in range(side)]
    nodes = [node(i, "gpu" if i in (0, side * side - 1) else "switch") for row in names for i in row]
    links = [link(names[y][x], names[y][x + 1]) for y in range(0, side, 2) for x in range(side - 1)]
    return topo(nodes, links)[:BYTES]


@hostile(".topo", BOUND, "")
def two_layers():
    return topo([node("g%d" % i, "gpu") for i in range(2)] + [node(i, "switch") for i in range(280)],
                [link("g0", i) for i in range(140)] + [link("g1", i) for i in range(140, 280)] +
                [link(a, b) for a in range(140) for b in range(140, 280)])


@hostile(".topo", BOUND, "")
def mesh():
    return topo([node(i, "gpu") for i in range(200)], [link(a, b) for a in range(200) for b in range(a)])


@hostile(".topo", BOUND, "")
def wide_switch():
    return topo([node("a", "gpu"), node("b", "gpu"), node("s", "switch")] + [node(i, "nic") for i in range(13000)],
                [link("a", "s"), link("b", "s")] + [link(i, "s") for i in range(13000)])


@hostile(".topo", BOUND, "no node")
def unknown_end():
    return topo([node("gpu%d" % i, "gpu") for i in range(30000)], [link("gpu0", "gpu" + "x" * 50)])


@hostile(".topo", BOUND, "a second node")
def same_ids():
    return topo([node("a", "gpu")] * 40000, [])


@hostile(".topo", BOUND, "1 to 255 bytes")
def long_id():
    return topo([node("a" * (BYTES - 200), "gpu")], [])


@hostile(".topo", BOUND, "unknown key")
def long_key():
    return '{"%s": 1}' % ("a" * (BYTES - 10))


@hostile(".topo", BOUND, "unknown key")
def unknown_keys():
    return '{"format":"blink-topology",%s}' % ",".join('"%d":0' % i for i in range(90000))


@hostile(".topo", BOUND, "nested deeper")
def deep_arrays():
    return repeat('{"nodes":', "[")


@hostile(".topo", BOUND, "nested deeper")
def deep_objects():
    return repeat("", '{"a":')


@hostile(".topo", BOUND, "has no 'version'")
def flat_array():
    return repeat('{"format":[', "0,", "0]}")


@hostile(".topo", BOUND, "beyond the range")
def long_number():
    return '{"version":%s}' % ("9" * (BYTES - 20))


@hostile(".topo", BOUND, "has no 'format'")
def comments():
    return repeat("{", "//\n", "}")


@hostile(".topo", BOUND, "syntax error")
def open_comment():
    return repeat("{", "/*")


@hostile(".topo", BOUND, "unknown key")
def escapes():
    return repeat('{"', "\\u0041", '":0}')


@hostile(".topo", BOUND, "missing closing quote")
def open_string():
    return repeat('{"name":"', "a")


@hostile(".topo", BOUND, "syntax error")
def blanks():
    return repeat("{", "\n ")


@hostile(".xml", IMPORT, "not well-formed")
def deep_elements():
    return repeat("", "<a>")


@hostile(".xml", IMPORT, "no GPU")
def entity_bomb():
    names = ["l%d" % i for i in range(30)]
    entities = "".join('<!ENTITY %s "%s">' % (name, ("&%s;" % names[i - 1]) * 10 if i else "lol")
                       for i, name in enumerate(names))
    return '<!DOCTYPE system [%s]><system><cpu numaid="&%s;"/></system>' % (entities, names[-1])


@hostile(".xml", IMPORT, "no GPU")
def many_entities():
    return repeat('<system><cpu numaid="', "&#x41;&lt;", '"/></system>')


@hostile(".xml", IMPORT, "not well-formed")
def open_doctype():
    return repeat("<!DOCTYPE a [", "<!ENTITY b [")


@hostile(".xml", IMPORT, "no GPU")
def attributes():
    return "<system><cpu %s/></system>" % " ".join('a%d=""' % i for i in range(90000))


@hostile(".xml", IMPORT, "no GPU")
def same_attributes():
    return repeat("<system><cpu ", 'a="" ', "/></system>")


@hostile(".xml", IMPORT, "no GPU")
def cpus():
    return "<system>%s</system>" % "".join('<cpu numaid="%d"/>' % i for i in range(40000))


@hostile(".xml", IMPORT, "NUMA nodes: expected at most 1024")
def cpus_with_devices():
    return "<system>%s</system>" % "".join(
        '<cpu numaid="%d"><pci busid="%x:%x:0.0" class="0x0%d0000"/></cpu>' % (i, i >> 8, i & 255, 2 if i else 3)
        for i in range(14000))


@hostile(".xml", IMPORT, "lists no links")
def gpus():
    return "<system><cpu>%s</cpu></system>" % "".join(
        '<pci busid="%x:%x:0.0" class="0x030200"/>' % (i >> 8, i & 255) for i in range(4096))


@hostile(".xml", IMPORT, "lists no links")
def gpus_below_bridges():
    bridges = 190
    inner = "".join('<pci busid="%x:%x:0.0" class="0x%s0000"/>' % (i >> 8, i & 255, "03" if i < 4096 else "02")
                    for i in range(20000))
    outer = "".join('<pci busid="%x:0:0.0"><pci busid="%x:0:0.1" class="0x020000"/>' % (i + 1000, i + 1000)
                    for i in range(bridges))
    return "<system><cpu>%s%s%s</cpu></system>" % (outer, inner, "</pci>" * bridges)


@hostile(".xml", IMPORT, "lists NICs and no GPU")
def nics_at_switches():
    return "<system><cpu>%s</cpu></system>" % "".join(
        '<pci busid="%x:%x:0.0"><pci busid="%x:%x:0.1"/></pci>' % (i >> 8, i & 255, i >> 8, i & 255)
        for i in range(4096))


@hostile(".xml", IMPORT, "the smaller number")
def many_links():
    links = repeat("", '<nvlink target="0:1:0.0"/>')[:900000]
    links = links[:links.rindex(">") + 1]
    return ('<system><cpu><pci busid="0:0:0.0" class="0x0302"><gpu>%s</gpu></pci>'
            '<pci busid="0:1:0.0" class="0x0302"><gpu/></pci></cpu></system>' % links)


@hostile(".xml", IMPORT, "no GPU")
def unknown_elements():
    return repeat("<system>", "<b/>", "</system>")


@hostile(".xml", IMPORT, "NUMA nodes: expected at most 1024")
def numa_nodes():
    return '<topology><object type="Machine">%s</object></topology>' % "".join(
        '<object><object type="NUMANode"/><object type="PCIDev" pci_busid="%x:%x:0.0" pci_type="0302 [10de:2330]"/></object>' %
        (i >> 8, i & 255) for i in range(4096))


@hostile(".xml", IMPORT, "no GPU")
def infos():
    return repeat('<topology><object type="Machine">', '<info name="a"/>', "</object></topology>")


@hostile(".xml", IMPORT, "")
def matrix():
    count = 400
    devices = "".join('<object type="PCIDev" gp_index="%d" pci_busid="%x:%x:0.0" pci_type="0302 [10de:2330]"/>' %
                      (i, i >> 8, i & 255) for i in range(count))
    return ('<topology>%s<distances2 name="NVLinkBandwidth"><indexes>%s</indexes><u64values>%s</u64values>'
            '</distances2></topology>' % (devices, " ".join(map(str, range(count))), "9 " * count ** 2))


@hostile(".txt", IMPORT, "X in the column")
def square_matrix():
    count = 900
    names = "".join("GPU%d " % i for i in range(count))
    return "\t%s\n%s" % (names, "".join("GPU%d\t%s\n" % (i, "X" * count) for i in range(count)))


@hostile(".txt", IMPORT, "")
def matrix_of_pix():
    count = 480
    rows = ("GPU%d\t%s\n" % (i, "".join("X" if i == j else "PIX" for j in range(count))) for i in range(count))
    return "\t%s\n%s" % (" ".join("GPU%d" % i for i in range(count)), "".join(rows))


@hostile(".txt", IMPORT, "no header")
def wide_header():
    return repeat("\t", "GPU0")


@hostile(".txt", IMPORT, "no header")
def headers():
    return repeat("", "GPU0 X\n")


@hostile(".txt", IMPORT, "has no row")
def escape_sequences():
    return repeat("GPU0", "\x1b[")


@hostile(".txt", IMPORT, "rates alone")
def nvlinks():
    return repeat("GPU 0: A100\n", "Link 0: <inactive>\n")


@hostile(".txt", IMPORT, "15000 GPUs")
def nvlink_gpus():
    gpus = "".join("GPU %d: A100\nLink 0: Remote Device %x:%x:0.0: Link 0\n" % (i, i >> 8, i & 255)
                   for i in range(15000))
    return gpus


@hostile(".txt", IMPORT, "")
def rocm_table():
    count = 440
    rows = "".join("GPU%d  %s\n" % (i, " ".join("0" if i == j else "XGMI" for j in range(count)))
                   for i in range(count))
    return "== Link Type between two GPUs ==\n   %s\n%s" % ("  ".join("GPU%d" % i for i in range(count)), rows)


def module(ops):
    return "collective.topology @t {\n%s}\n" % "".join(ops)


@hostile(".mlir", COMPILE, "no request, forest or schedule")
def nodes_of_ir():
    return module("collective.node @n%d gpu\n" % i for i in range(33000))


@hostile(".mlir", COMPILE, "joins already")
def links_of_ir():
    return module(["collective.node @a gpu\n", "collective.node @b gpu\n"] +
                  ["collective.link @l%d nvlink @a -> @b bandwidth 1.0 latency 0.0\n" % i for i in range(15000)])


@hostile(".mlir", COMPILE, "no request, forest or schedule")
def modules():
    return repeat("", "module{}\n")


@hostile(".mlir", COMPILE, "nested deeper")
def nested_modules():
    return repeat("", "module{")


@hostile(".mlir", COMPILE, "nested deeper")
def nested_attributes():
    return repeat("module attributes {a=", "[")


@hostile(".mlir", COMPILE, "nested deeper")
def nested_dictionaries():
    return repeat("module attributes ", "{a=")


@hostile(".mlir", COMPILE, "nested deeper")
def nested_types():
    return repeat("module attributes {a=", "tuple<")


@hostile(".mlir", COMPILE, "nested deeper")
def nested_locations():
    return repeat("module {} loc(", 'callsite("a" at ')


@hostile(".mlir", COMPILE, "affine maps")
def minuses():
    return repeat("module attributes {a=affine_map<(d0)->(", "-")


@hostile(".mlir", COMPILE, "affine maps")
def sums():
    return repeat("module attributes {a=affine_map<(d0)->(d0", "+d0*d0", ")>}{}")


@hostile(".mlir", COMPILE, "made a name")
def aliases():
    return "#a0=[]\n" + "".join("#a%d=[#a%d]\n" % (i, i - 1) for i in range(1, 50000)) + "module{}"


@hostile(".mlir", COMPILE, "made a name")
def doubled_aliases():
    return "#a0=[1]\n%smodule attributes {a=#a60} {}\n" % "".join("#a%d=[#a%d,#a%d]\n" % (i, i - 1, i - 1)
                                                                for i in range(1, 61))


@hostile(".mlir", COMPILE, "dialect-prefixed")
def long_array():
    return repeat("module attributes {a=[", "0,", "0]} {}")


@hostile(".mlir", COMPILE, "expects parent op")
def errors():
    return repeat("", "collective.node @a gpu\n")


@hostile(".mlir", COMPILE, "MLIR's bytecode")
def bytecode():
    return "ML\u00efR" + "\x00" * 1000


def watch(name, path):
    """Has blinkc read it to the end; what takes long until it says on a terminal that it is at work. What it said, its
    exit code (None if it was at work), seconds of a processor, and MB at most."""
    ours, theirs = pty.openpty() if INPUTS[name][1] is None else os.pipe()
    process = subprocess.Popen(["blinkc", *INPUTS[name][0], str(path)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    said, at_work = "", False
    try:
        while not at_work and (more := os.read(ours, 1000)):
            said += more.decode(errors="replace")
            at_work = said.startswith(PROGRESS) and len(said) > len(PROGRESS)
    except OSError:  # how a terminal ends
        pass
    if at_work:
        os.kill(process.pid, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    os.close(ours)
    seconds = usage.ru_utime + usage.ru_stime
    return (said.replace(PROGRESS, "").strip(), None if at_work else os.waitstatus_to_exitcode(status), seconds,
            usage.ru_maxrss // 1024)


def check(name, path):
    answer = INPUTS[name][1]
    said, code, _, megabytes = watch(name, path)
    wrong = []
    if code not in (None, 0, 2):
        wrong.append("exit code %d" % code)
    if answer is None and code is not None:
        wrong.append("does not say that it is at work")
    if answer and answer not in said:
        wrong.append("said '%s', not '%s'" % (said[:200], answer))
    if megabytes > MOST_MB and not os.environ.get("HOSTILE_ANY_MEMORY"):
        wrong.append("%d MB" % megabytes)
    for what in wrong:
        print(name + ": " + what)
    return not wrong


def measure(name, path):
    """A row of a table."""
    said, _, seconds, megabytes = watch(name, path)
    said = said.split("\n")[0].strip().replace(str(path), path.name)
    print("| `%s` | %d | %.2f | %d | %s |" % (name, path.stat().st_size // 1000, seconds, megabytes, said[:60]),
          flush=True)
    return True


def main():
    arguments = sys.argv[1:]
    answers = check
    if arguments[:1] == ["--measure"]:
        answers = measure
        arguments.pop(0)
    folder = pathlib.Path(arguments.pop(0))
    folder.mkdir(parents=True, exist_ok=True)
    good = True
    for name in arguments or INPUTS:
        path = folder / name
        path.write_bytes(INPUTS[name][2]().encode("latin-1"))
        good &= answers(name, path)
        path.unlink()
    sys.exit(0 if good else 1)


main()
