"""Whether links have the bandwidths that they should: every NIC sends to the next one of its network, all at once."""
import json
import socket
import subprocess
import sys
import threading
import time

if __package__:
    from .errors import LabError

PORT = 5201
# Accounts for Ethernet, IP and TCP headers in packets of 9,000 bytes, and for acknowledgements in the other direction.
LEAST = 0.98


def ring(cluster):
    """(sender, receiver, bits per second that the two have) for each NIC, so that a cable between two switches is
    crossed once in each direction."""
    found = []
    for number in range(len(cluster.networks)):
        mine = sorted((nic for nic in cluster.nics.values() if nic.network == number),
                      key=lambda nic: cluster.switches.index(nic.other) if nic.other in cluster.switches else 0)
        for nic, other in zip(mine, mine[1:] + mine[:1]):
            if nic is not other:
                rates = [cluster.wire_named(one.name).rates[end] for one, end in ((nic, nic.name), (other, other.other))]
                found.append((nic, other, min(rates)))
    return found


def receive(address, begin, end, rates):
    """Bits per second between two moments, into `rates`."""
    with socket.create_server((address, PORT)) as listener:
        listener.settimeout(30)
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(30)
            first = last = None
            count = 0
            buffer = bytearray(1 << 18)
            while time.monotonic() < end:
                got = connection.recv_into(buffer)
                now = time.monotonic()
                if not got:
                    break
                if first is None:
                    first = now if now >= begin else None
                else:
                    count, last = count + got, now
            rates.append(8 * count / (last - first) if last else 0)


def send(source, address, end):
    for attempt in range(300):  # until the receiver listens
        try:
            connection = socket.create_connection((address, PORT), 30, (source, 0))
            break
        except OSError:
            time.sleep(0.01)
    else:
        return
    block = bytes(1 << 18)
    with connection:
        connection.settimeout(30)
        try:
            while time.monotonic() < end:
                connection.sendall(block)
        except OSError:
            pass  # the receiver has received enough


def outputs(process, end, check):
    while True:
        try:
            return process.communicate(timeout=0.1)
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                raise LabError("calibration has not ended in time") from None
            check()


def measure(lab, seconds=3.0):
    """(sender, receiver, bits per second expected, measured) of each NIC."""
    pairs = ring(lab.cluster)
    now = time.monotonic()
    moments = [now + 3, now + 3 + seconds]  # TCP has found the bandwidths by then
    jobs = {}
    for server in lab.cluster.servers:
        mine = [[nic.address, other.address] for nic, other, _ in pairs if nic.server is server]
        into = [other.address for _, other, _ in pairs if other.server is server]
        if mine or into:
            command = [sys.executable, __file__, json.dumps({"send": mine, "receive": into, "moments": moments})]
            process = lab.spawn(server, command, lab.environment(server))
            jobs[server] = process
    rates = {}
    for process in jobs.values():
        output, errors = outputs(process, time.monotonic() + seconds + 60, lab.check)
        if process.returncode:
            raise LabError(f"calibration: {errors.decode(errors='replace').strip()}")
        rates.update(json.loads(output))
    return [(nic, other, expected, rates[other.address]) for nic, other, expected in pairs]


def main():
    """In a server."""
    asked = json.loads(sys.argv[1])
    begin, end = asked["moments"]
    rates = {address: [] for address in asked["receive"]}
    threads = [threading.Thread(target=receive, args=(address, begin, end, rates[address])) for address in rates]
    threads += [threading.Thread(target=send, args=(*pair, end)) for pair in asked["send"]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({address: (found or [0])[0] for address, found in rates.items()}))


if __name__ == "__main__":
    main()
