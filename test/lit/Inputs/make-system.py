"""Makes the /sys, /proc and NVML profile that a machine of NCCL's topology XML would have.

    make-system.py dump.xml FOLDER

What comes is FOLDER/sys, FOLDER/proc and FOLDER/nvml.txt (test/nvml/FakeNvml.cpp). GPUs sleep: their links run at
2.5 GT/s now, and say what they can.
"""
import pathlib
import sys
import xml.etree.ElementTree as xml

PRODUCTS = {"70": "Tesla V100-SXM2-16GB", "80": "NVIDIA A100-SXM4-80GB", "90": "NVIDIA H100 80GB HBM3"}


def main():
    source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    system = xml.parse(source).getroot()
    bus = folder / "sys/bus/pci/devices"
    bus.mkdir(parents=True)
    profile = []

    def add(element, parent, numa):
        bus_id = element.get("busid").lower()
        path = parent / bus_id
        path.mkdir(parents=True)
        (bus / bus_id).symlink_to(path)
        gpu, nic = element.find("gpu"), element.find("nic")
        default = "0x030200" if gpu is not None else "0x060400"
        files = {"class": element.get("class", default), "vendor": element.get("vendor", "0x10de"),
                 "device": element.get("device", "0x0000"), "numa_node": numa,
                 "max_link_speed": element.get("link_speed", "Unknown"), "max_link_width": element.get("link_width", "0"),
                 "current_link_speed": "2.5 GT/s PCIe", "current_link_width": element.get("link_width", "0")}
        for name, text in files.items():
            (path / name).write_text(text + "\n")
        if gpu is not None:
            profile.append(f"gpu 0000{bus_id} {PRODUCTS[gpu.get('sm')]}")
            for link in gpu.findall("nvlink"):
                kind = {"0x068000": "switch", "0x068001": "npu"}.get(link.get("tclass"), "gpu")
                profile.extend([f"link 0000{link.get('target').lower()} {kind}"] * int(link.get("count")))
        for net in nic.findall("net") if nic is not None else []:
            (path / "infiniband" / net.get("name")).mkdir(parents=True)
        for child in element.findall("pci"):
            add(child, path, numa)

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
    (folder / "nvml.txt").write_text("\n".join(profile) + "\n")


main()
