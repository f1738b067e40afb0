"""Runs a program on a terminal of its own until it has cleared the screen three times, then ends it."""
import os
import pty
import signal
import sys

signal.alarm(60)  # a program that says nothing
process, terminal = pty.fork()
if process == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
while text.count(b"\x1b[2J") < 3:
    text += os.read(terminal, 4096)
os.kill(process, signal.SIGTERM)
_, status = os.waitpid(process, 0)
screens = text.split(b"\x1b[2J")[1:3]
good = all(b"it has not called allreduce of 3 float32" in screen for screen in screens)
print("looked twice" if good and os.WTERMSIG(status) == signal.SIGTERM else text)
