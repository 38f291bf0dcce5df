#!/usr/bin/env python3
"""A plugin that does wrong when it is told to.

    chaos.py [--connect SOCKET] WHEN WHAT

WHEN is spawn, initialize, start, idle, message, drain or shutdown; WHAT a name of FAULTS. What is to happen at `message`
happens for every message of the type FAULT; what is to happen at a beginning, when it is started for the second time in
its state directory. For messages of the type EXIT it ends, those of the type HOLD it keeps, and all others it answers.
"""

import json
import os
import signal
import socket
import sys
import threading
import time


class Wire:
    def __init__(self, path):
        if path:
            end = self.connect(path)
            self.input, self.descriptor = end.makefile("rb"), os.dup(end.fileno())
        else:
            self.input, self.descriptor = sys.stdin.buffer, sys.stdout.fileno()

    @staticmethod
    def connect(path):
        """Waits until somebody listens there, but not for ever."""
        for _ in range(6000):
            end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                end.connect(path)
                return end
            except OSError:
                end.close()
                time.sleep(0.01)
        sys.exit("nobody listens at " + path)

    def write(self, data):
        while data:
            data = data[os.write(self.descriptor, data):]

    def answer(self, number, result):
        self.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n")


WIRE = None
# How many answers were given after their deadlines.
LATE = 0
# How many messages were kept.
HELD = 0


def exit_(_request):
    os._exit(3)


def kill(_request):
    os.kill(os.getpid(), signal.SIGKILL)


def stop(_request):
    os.kill(os.getpid(), signal.SIGSTOP)


def spin(_request):
    while True:
        pass


def hog(_request):
    """Takes a gigabyte and touches all of it; what keeps it from that ends it."""
    kept = []
    for _ in range(64):
        kept.append(bytearray(b"x" * (16 << 20)))
    os._exit(0)


def silence(_request):
    pass


def flood_stdout(_request):
    """Says for a long time what is no message, then goes on as if nothing had been."""
    WIRE.write(b"this is no message\n" * 200_000)


def flood_answers(_request):
    """Answers what nobody asked."""
    WIRE.write(b'{"jsonrpc":"2.0","id":987654321,"result":{}}\n' * 20_000)


def endless_line(_request):
    WIRE.write(b"x" * (16 << 20))


def flood_stderr(_request):
    for _ in range(30):
        os.write(2, b"something went wrong somewhere\n" * 1000)


def half_line(request):
    """Ends within a line."""
    line = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"disposition": "handled"}})
    WIRE.write(line[: len(line) // 2].encode())
    os._exit(3)


def invalid_json(request):
    WIRE.write(b'{"jsonrpc":"2.0","id":%s,"result":{"disposition"]\n' % json.dumps(request["id"]).encode())


def invalid_verdict(request):
    WIRE.answer(request["id"], {"disposition": "perhaps"})


def wrong_id(_request):
    WIRE.answer(987_654_321, {"disposition": "handled"})
    WIRE.answer("nobody's", {"disposition": "handled"})
    WIRE.answer(None, {"disposition": "handled"})


def late(request):
    """Answers once the deadline has passed, and goes on meanwhile."""
    seconds = 1.2 * request["params"]["deadlineMs"] / 1000

    def answer():
        global LATE
        time.sleep(seconds)
        WIRE.answer(request["id"], reply(request, "LATE"))
        LATE += 1

    threading.Thread(target=answer, daemon=True).start()


def twice(request):
    for word in ("FIRST", "SECOND"):
        WIRE.answer(request["id"], reply(request, word))


def fork(_request):
    """Makes many processes that would stay, in sessions of their own; far fewer than would hurt anybody."""
    for _ in range(100):
        try:
            child = os.fork()
        except OSError:
            break
        if child == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)
    os.write(2, b"made all of them\n")
    os._exit(3)


def stubborn(_request):
    """Does not end before it is killed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(600)


FAULTS = {
    "exit": exit_, "kill": kill, "stop": stop, "spin": spin, "hog": hog, "silence": silence,
    "flood-stdout": flood_stdout, "endless-line": endless_line, "flood-stderr": flood_stderr,
    "flood-answers": flood_answers, "half-line": half_line,
    "invalid-json": invalid_json, "invalid-verdict": invalid_verdict, "wrong-id": wrong_id, "late": late,
    "twice": twice, "fork": fork, "stubborn": stubborn, "none": silence,
}


def reply(request, word):
    """A reply that says which process gave it."""
    return {"disposition": "reply", "payload": {"type": word, "pid": os.getpid(), "late": LATE, "held": HELD}}


class Plugin:
    def __init__(self, when, what):
        self.when, self.fault = when, FAULTS[what]
        lives = os.open(os.path.join(os.environ["CASTWAY_STATE_DIR"], "lives"), os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        os.write(lives, b".")
        self.is_due = os.fstat(lives).st_size == 2 or when in ("drain", "shutdown")
        os.close(lives)

    def reach(self, point, request=None):
        """Does wrong, if this is where."""
        if self.when == point and self.is_due:
            self.fault(request)

    def run(self):
        self.reach("spawn")
        for line in WIRE.input:
            request = json.loads(line)
            method, number = request["method"], request.get("id")
            if method == "message":
                self.receive(request)
            elif number is not None:
                self.reach(method, request)
                WIRE.answer(number, self.result(method))
                if method == "start":
                    self.reach("idle", request)
                elif method == "shutdown":
                    return

    def receive(self, request):
        global HELD
        kind = request["params"]["message"].get("type")
        if kind == "FAULT" and self.when == "message":
            self.fault(request)
            # What only makes noise has to answer, too.
            if self.fault in (flood_stdout, flood_stderr, flood_answers):
                WIRE.answer(request["id"], reply(request, "AFTER"))
        elif kind == "EXIT":
            os._exit(3)
        elif kind == "HOLD":
            HELD += 1
        else:
            WIRE.answer(request["id"], reply(request, "ANSWER"))

    @staticmethod
    def result(method):
        if method == "initialize":
            return {"protocol": 1, "plugin": {"id": os.environ["CASTWAY_PLUGIN_ID"], "version": "1"}}
        if method == "health":
            return {"status": "ok"}
        if method == "reload":
            return {"outcome": "applied"}
        return {}


def main():
    global WIRE
    arguments = sys.argv[1:]
    path = None
    if arguments[0] == "--connect":
        path, arguments = arguments[1], arguments[2:]
        # Whoever started it may have left something open, the gateway's end of the wire even.
        os.closerange(3, 4096)
    WIRE = Wire(path)
    Plugin(arguments[0], arguments[1]).run()


main()
