"""Makes the /sys, /proc and NVML profile that a machine of NCCL's topology XML would have.

    make-system.py dump.xml FOLDER

What comes is FOLDER/sys, FOLDER/proc and FOLDER/nvml.txt (test/nvml/FakeNvml.cpp); AMD's links are in sys/class/kfd. GPUs sleep: their links run at
2.5 GT/s now, and say what they can.
"""
import pathlib
import sys
import xml.etree.ElementTree as xml

PRODUCTS = {"60": "Tesla P100-SXM2-16GB", "70": "Tesla V100-SXM2-16GB", "80": "NVIDIA A100-SXM4-80GB", "86": "NVIDIA A40",
            "89": "NVIDIA L40S", "90": "NVIDIA H100 80GB HBM3", "100": "NVIDIA B200", "103": "NVIDIA B300",
            "120": "NVIDIA GeForce RTX 5090"}
AMD_DEVICES = {"gfx908": "0x738c", "gfx90a": "0x7408", "gfx942": "0x74a1", "gfx950": "0x75a3"}
AMD_RATES = {"gfx908": 46000, "gfx90a": 50000, "gfx942": 64000, "gfx950": 76800}  # MB/s of a link


def main():
    source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    system = xml.parse(source).getroot()
    bus = folder / "sys/bus/pci/devices"
    bus.mkdir(parents=True)
    profile = []
    amd = {}  # GPUs of AMD's driver, by bus id

    def add(element, parent, numa):
        bus_id = element.get("busid").lower()
        path = parent / bus_id
        path.mkdir(parents=True)
        (bus / bus_id).symlink_to(path)
        gpu, nic = element.find("gpu"), element.find("nic")
        is_amd = gpu is not None and gpu.get("gcn") is not None
        default = "0x038000" if is_amd else "0x030200" if gpu is not None else "0x060400"
        files = {"class": element.get("class", default), "vendor": "0x1002" if is_amd else element.get("vendor", "0x10de"),
                 "device": AMD_DEVICES[gpu.get("gcn")] if is_amd else element.get("device", "0x0000"), "numa_node": numa,
                 "max_link_speed": element.get("link_speed", "Unknown"), "max_link_width": element.get("link_width", "0"),
                 "current_link_speed": "2.5 GT/s PCIe", "current_link_width": element.get("link_width", "0")}
        for name, text in files.items():
            (path / name).write_text(text + "\n")
        if is_amd:
            amd[bus_id] = gpu
        elif gpu is not None:
            profile.append(f"gpu 0000{bus_id} {PRODUCTS[gpu.get('sm')]}")
            for link in gpu.findall("nvlink"):
                kind = {"0x068000": "switch", "0x068001": "npu"}.get(link.get("tclass"), "gpu")
                profile.extend([f"link 0000{link.get('target').lower()} {kind}"] * int(link.get("count")))
        for net in nic.findall("net") if nic is not None else []:
            (path / "infiniband" / net.get("name")).mkdir(parents=True)
        for child in element.findall("pci"):
            add(child, path, numa)

    def add_amd_driver():
        """One node a GPU, from 1: the CPU's is 0. Of a link, its type and other end matter: 11 is xGMI."""
        nodes = folder / "sys/class/kfd/kfd/topology/nodes"
        numbers = {bus_id: number for number, bus_id in enumerate(amd, 1)}
        (nodes / "0").mkdir(parents=True)
        (nodes / "0/properties").write_text("cpu_cores_count 64\nlocation_id 0\n")
        for bus_id, gpu in amd.items():
            domain, number, rest = bus_id.split(":")
            device, function = rest.split(".")
            location = int(number, 16) << 8 | int(device, 16) << 3 | int(function)
            node = nodes / str(numbers[bus_id])
            links = [(2, 0, 1)] + [(11, numbers[link.get("target").lower()], int(link.get("count")))
                                   for link in gpu.findall("xgmi")]
            for index, (kind, other, count) in enumerate(links):
                link = node / "io_links" / str(index)
                link.mkdir(parents=True)
                (link / "properties").write_text(
                    f"type {kind}\nnode_to {other}\nweight 15\nmax_bandwidth {count * AMD_RATES[gpu.get('gcn')]}\n")
            (node / "properties").write_text(f"simd_count 1216\nlocation_id {location}\ndomain {int(domain, 16)}\n")

    for number, cpu in enumerate(system.findall("cpu")):
        numa = cpu.get("numaid", str(number))
        node = folder / "sys/devices/system/node" / f"node{numa}"
        node.mkdir(parents=True)
        (node / "cpulist").write_text(f"{8 * number}-{8 * number + 7}\n")
        for child in cpu.findall("pci"):
            add(child, folder / f"sys/devices/pci0000:{number:02x}", numa)
        last = cpu
    (folder / "proc").mkdir()
    (folder / "proc/cpuinfo").write_text(f"processor\t: 0\nvendor_id\t: {last.get('vendor')}\n"
                                         f"cpu family\t: {last.get('familyid')}\nmodel\t\t: {last.get('modelid')}\n")
    if amd:
        add_amd_driver()
    (folder / "nvml.txt").write_text("\n".join(profile) + "\n")


main()
