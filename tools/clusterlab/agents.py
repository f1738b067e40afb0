"""Commands that a process in one server asks to be run in another one, as with ssh: see `agent`."""
import json
import os
import socket
import subprocess
import threading


class Agents:
    """Serves the socket by which `agent` reaches the laboratory from within any namespace."""

    def __init__(self, lab):
        self.lab = lab
        self.path = lab.folder / "agent"
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # The path of a socket must be short, but that of a folder may be long.
        self.listener.bind(f"/proc/self/fd/{lab.lock}/{self.path.name}")
        self.listener.listen(64)
        self.processes, self.closed = [], False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.closed:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        """Starts what is asked for with the agent's own input and outputs, and says how it ended."""
        with connection:
            message, files, _, _ = socket.recv_fds(connection, 1 << 20, 3)
            try:
                while part := connection.recv(1 << 20):  # a long command comes in parts
                    message += part
                asked = json.loads(message)
                server = self.lab.cluster.server_named(asked["host"])
                process = subprocess.Popen(
                    [*self.lab.inside(server), "sh", "-c", asked["command"]],
                    env=self.lab.environment(server), stdin=files[0], stdout=files[1], stderr=files[2],
                    process_group=0)
                self.processes.append(process)
                code = process.wait()
                answer = {"code": 128 - code if code < 0 else code}
            except Exception as error:  # the agent reports any error
                answer = {"code": 255, "error": str(error) or repr(error)}
            finally:
                for file in files:
                    os.close(file)
            try:
                connection.sendall(json.dumps(answer).encode())
            except OSError:
                pass  # the agent is gone

    def close(self):
        self.closed = True
        self.listener.close()
        for process in self.processes:
            process.kill()
