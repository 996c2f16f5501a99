# SPDX-License-Identifier: Apache-2.0
"""Drives `nkx repl` through a pseudo-terminal: prompt, editing, history, completion, blocks, Ctrl-C, Ctrl-D."""
import os
import pty
import re
import select
import sys
import time

PROMPT = "nkx> "
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Session:
    def __init__(self, program):
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(program, [program, "repl"])
        self.pid = pid
        self.pending = ""

    def read(self, until, seconds=20):
        """Output up to and with `until`, from where the last read ended."""
        end = time.time() + seconds
        while until not in self.pending:
            left = end - time.time()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise AssertionError(f"no {until!r} in {self.pending!r}")
            try:
                chunk = os.read(self.fd, 4096).decode(errors="replace")
            except OSError:
                chunk = ""
            if not chunk:
                raise AssertionError(f"ended; no {until!r} in {self.pending!r}")
            self.pending += CONTROL.sub("", chunk)
        at = self.pending.index(until) + len(until)
        got, self.pending = self.pending[:at], self.pending[at:]
        return got

    def type(self, text):
        os.write(self.fd, text.encode())

    def line(self, text, until=PROMPT):
        self.type(text + "\r")
        self.read("\n")  # the echo
        return self.read(until)

    def leave(self, seconds=20):
        """Exit code after one Ctrl-D, whoever has the terminal at that moment: the editor or a statement."""
        self.type("\x04")
        end = time.time() + seconds
        while time.time() < end:
            time.sleep(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, 9)
        raise AssertionError("Ctrl-D does not end the session")


def main():
    s = Session(sys.argv[1])
    s.read(PROMPT)
    assert "42" in s.line("6 * 7")
    for text in ("import nki", "import nki.isa as nisa", "import nki.language as nl"):
        s.line(text)
    s.line("t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)")
    out = s.line("t")
    assert "float32[128,64]" in out and "nothing written yet" in out, out
    out = s.line("nisa.memset(dst=t, value=2.5)")
    assert "memset" in out and " us" in out, out
    assert "2.5" in s.line("t")
    out = s.line("nisa.memset(dst=t, valve=1)")
    assert "error[" in out, out
    assert "2.5" in s.line("t"), "an error changes nothing"
    # a block: the second prompt, ended by an empty line
    s.line("for i in range(3):", "...> ")
    s.line("    print('row', i)", "...> ")
    out = s.line("")
    assert "row 2" in out, out
    # history: up, and the line runs again
    s.line("'once' * 2")
    s.type("\x1b[A\r")
    assert "onceonce" in s.read(PROMPT)
    # completion
    s.type("nisa.mems\t")
    s.read("et")  # the editor draws what was added
    s.type("\x03")  # drops the line
    s.read("^C")
    s.read(PROMPT)
    # Ctrl-C stops an endless statement
    s.line("i = 0")
    s.type("while True: i = i + 1\r")
    s.type("\r")
    time.sleep(1.0)
    s.type("\x03")
    s.read(PROMPT)
    assert "3" in s.line("1 + 2"), "the session goes on"
    assert s.leave() == 0
    # Ctrl-D typed while a statement runs is kept for the next prompt
    s = Session(sys.argv[1])
    s.read(PROMPT)
    s.type("sum([i * i for i in range(1000000)])\r")
    s.read("\n")
    assert s.leave() == 0


if __name__ == "__main__":
    main()
