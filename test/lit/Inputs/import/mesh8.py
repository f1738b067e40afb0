"""Writes the topology XML of a DGX-1 as NCCL would dump it: eight V100 in a cube mesh on four PCIe switches.

mesh8.py [GPU ...]: in a container that has these GPUs alone.
"""
import sys

DOUBLE = "03 04 12 15 23 47 56 67".split()
SINGLE = "01 02 13 26 37 45 46 57".split()
BUS = ["06", "07", "0a", "0b", "85", "86", "89", "8a"]
GPUS = [int(gpu) for gpu in sys.argv[1:]] or list(range(8))
lines = ['<system version="1">']
for cpu in range(2):
    lines.append(f'<cpu numaid="{cpu}" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="79">')
    for switch in range(2 * cpu, 2 * cpu + 2):
        lines.append(f'<pci busid="0000:{0x40 + switch:02x}:00.0" class="0x060400" vendor="0x10b5" '
                     'link_speed="8 GT/s" link_width="16">')
        for gpu in sorted({2 * switch, 2 * switch + 1} & set(GPUS)):
            lines.append(f'<pci busid="0000:{BUS[gpu]}:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">'
                         f'<gpu dev="{GPUS.index(gpu)}" sm="70">')
            for count, pairs in ((2, DOUBLE), (1, SINGLE)):
                for pair in pairs:
                    if str(gpu) in pair:
                        other = int(pair.replace(str(gpu), ""))
                        if other in GPUS:
                            lines.append(f'<nvlink target="0000:{BUS[other]}:00.0" count="{count}" tclass="0x030200"/>')
            lines.append("</gpu></pci>")
        lines.append("</pci>")
    lines.append("</cpu>")
print("\n".join(lines + ["</system>"]))
