"""Runs a program on a terminal of its own until it has said three times how far it is, and then types Ctrl-C."""
import os
import pty
import signal
import sys

signal.alarm(120)  # a program that says nothing
process, terminal = pty.fork()
if process == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what runs the tests may ignore it
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
while text.count(b" %") < 3:
    text += os.read(terminal, 4096)
os.write(terminal, b"\x03")
_, status = os.waitpid(process, 0)
print(text.decode().replace("\r\x1b[K", "\n"))
print("ended by SIGINT" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT else status)
