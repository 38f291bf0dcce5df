"""Castway's kit for plugins in Python: one file, the standard library only, Python 3.9 or newer.

    import castway

    class Quiz(castway.Plugin):
        @castway.on("ANSWER")
        def answer(self, message):
            return castway.reply({"type": "THANKS"}).broadcast({"type": "ANSWERED"})

    if __name__ == "__main__":
        castway.run(Quiz)

Messages of one flow (one sender talking to one app) arrive one at a time and in order; flows run beside each other.
A handler may block: on self.gateway.send(..., wait=...), on self.kv, on a file. While it does, another thread serves
the other flows. State that several flows share is the plugin's to guard, with a lock.

print() goes to the gateway's log, and so does everything on standard error.
The protocol is described in Docs/plugin-protocol.md of Castway.
"""

import base64
import collections
import heapq
import itertools
import json
import os
import re
import select
import socket
import sys
import threading
import time
import traceback

__all__ = [
    "Call", "ConfigError", "GatewayError", "Message", "OperationError", "Plugin", "Timer", "Verdict",
    "PENDING", "defer", "drop", "forward", "handled", "on", "operation", "passed", "reject", "reply", "rewrite", "run",
]

PROTOCOL = 1
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_READY, BUSY, CONFIG_INVALID, OPERATION_FAILED = -32002, -32005, -32010, -32011
EXIT_CONFIGURATION = 78
LARGEST_LINE = 1 << 20

_scan = json.JSONDecoder().scan_once


def _make_encode():
    """The encoder that json builds anew for each value, built once; it takes half the time."""
    plain = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
    try:
        quick = json.encoder.c_make_encoder(
            None, plain.default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, False)
        if "".join(quick({"a": [1, "\u00e9"]}, 0)) == plain.encode({"a": [1, "\u00e9"]}):
            return lambda value: "".join(quick(value, 0))
    except (TypeError, AttributeError):
        pass
    return plain.encode


_encode = _make_encode()


class GatewayError(Exception):
    """The gateway refused a request: code and message as on the wire (-32001 is "not granted")."""

    def __init__(self, code, message, data=None):
        super().__init__("%s (%d)" % (message, code))
        self.code, self.message, self.data = code, message, data


class ConfigError(Exception):
    """What is wrong with the configuration. path points into it ("/limits/0/daily"); several go into errors."""

    def __init__(self, path="", message="", errors=None):
        self.errors = list(errors) if errors else [(path, message)]
        super().__init__("; ".join("%s: %s" % (path or "/", text) for path, text in self.errors))


class OperationError(Exception):
    """Why an operation is not done: a code that the manifest declares, and what is wrong; members go along."""

    def __init__(self, code, message="", **members):
        super().__init__(message or code)
        self.code, self.message, self.members = code, message, members


#: What an operation returns whose outcome comes later, by Call.complete() or Call.fail().
PENDING = object()


class Verdict:
    """What becomes of a message, and what is done besides. The functions below make one; effects are added by chaining."""

    __slots__ = ("body",)

    def __init__(self, disposition, **members):
        self.body = {"disposition": disposition}
        self.body.update(members)

    def _effect(self, do, **members):
        self.body.setdefault("effects", []).append({"do": do, **members})
        return self

    def _say(self, do, payload, namespace):
        members = _content(payload)
        if namespace is not None:
            members["namespace"] = namespace
        return self._effect(do, **members)

    def reply_to_sender(self, payload, namespace=None):
        """Says something more to the message's sender."""
        return self._say("reply_to_sender", payload, namespace)

    def broadcast(self, payload, namespace=None):
        """Says something to every sender of the message's session."""
        return self._say("broadcast", payload, namespace)

    def send_to_receiver(self, payload, namespace=None):
        """Says something to the app, as if the message's sender had said it."""
        return self._say("send_to_receiver", payload, namespace)

    def emit(self, event, data=None, key=None):
        """Puts an event on the gateway's bus; of two with the same key one counts."""
        members = {"event": event, "data": {} if data is None else data}
        if key is not None:
            members["key"] = key
        return self._effect("emit", **members)

    def kv_put(self, key, value):
        """Stores a value, together with the verdict."""
        return self._effect("kv.put", key=key, value=value)

    def kv_delete(self, key):
        """Forgets a value, together with the verdict."""
        return self._effect("kv.delete", key=key)

    def log(self, level, message):
        """Writes a line into the gateway's log."""
        return self._effect("log", level=level, message=message)


def _content(payload):
    """A payload as members: a dict or list is written by the gateway, a str goes as it stands, bytes go as binary."""
    if isinstance(payload, (bytes, bytearray)):
        return {"payloadB64": base64.b64encode(payload).decode("ascii")}
    return {"payload": payload}


def passed():
    """No opinion: the next candidate decides. A handler that returns None says the same."""
    return Verdict("pass")


def reply(payload):
    """Answers the sender; the app never sees the message. The request id is filled in."""
    return Verdict("reply", **_content(payload))


def forward(payload=None):
    """Goes on to the app, changed or (without a payload) as it came, and nobody else is asked."""
    return Verdict("forward", **({} if payload is None else _content(payload)))


def rewrite(payload):
    """Goes on with another payload. Filters only."""
    return Verdict("rewrite", **_content(payload))


def handled():
    """Is taken; whatever there is to say stands in the effects."""
    return Verdict("handled")


def reject(reason="NOT_ALLOWED", message=None):
    """Is refused, and its sender told: the reason for programs, the message for people."""
    return Verdict("reject", reason=reason, **({} if message is None else {"message": message}))


def drop(reason):
    """Is swallowed, and counted under this reason."""
    return Verdict("drop", reason=reason)


def defer(seconds=None):
    """Is decided later, with message.complete(verdict), within so many seconds."""
    return Verdict("defer", **({} if seconds is None else {"maxMs": int(seconds * 1000)}))


def on(*types, phase="handle", namespace=None):
    """Marks a method that gets the messages of these types, in one phase and, if given, of one namespace."""

    def mark(method):
        routes = getattr(method, "_castway_routes", ())
        method._castway_routes = routes + tuple((phase, namespace, type) for type in types)
        return method

    return mark


def operation(name):
    """Marks a method that does an operation of the manifest: it gets a Call, and returns what the operation answers."""

    def mark(method):
        method._castway_operation = name
        return method

    return mark


class Call:
    """A caller wants an operation done. input: what it sent, checked by the manifest. caller: {"name", "scopes"}.
    aborted: whether the outcome is not awaited any more. operation, id, request: names."""

    __slots__ = ("_runtime", "_until", "id", "operation", "input", "caller", "request", "aborted")

    def __init__(self, params, runtime):
        self._runtime, self.aborted = runtime, False
        self.id, self.operation = params.get("call"), params.get("operation")
        self.input, self.caller = params.get("input") or {}, params.get("caller") or {}
        self.request = params.get("request")
        self._until = time.monotonic() + params.get("deadlineMs", 10000) / 1000

    @property
    def remaining(self):
        """Seconds until the outcome is not awaited any more."""
        return max(0.0, self._until - time.monotonic())

    def progress(self, fraction=None, text=None):
        """Says how far it is: from 0 to 1, and in words."""
        params = {"call": self.id}
        if fraction is not None:
            params["fraction"] = fraction
        if text is not None:
            params["text"] = text
        self._runtime.notify("request.progress", params)

    def complete(self, result=None):
        """Says what came of a call that returned PENDING. Any thread may call this, once."""
        self._runtime.settle(self, "request.complete", {"result": result or {}})

    def fail(self, code, message="", **members):
        """Says why a call that returned PENDING is not done."""
        self._runtime.settle(
            self, "request.fail", {"code": code, "message": message, **({"members": members} if members else {})})


class Message:
    """A message, as it came. Attributes: id, device, leg, direction, connection, sender, session, app, source, destination,
    namespace, type, request_id, phase; None where there is none. The leg is "sender", or "own" for the gateway's own session
    with a real device."""

    __slots__ = ("_wire", "_runtime", "_payload", "_until", "_verdict", "phase", "cancelled")

    def __init__(self, wire, phase, runtime=None, deadline_ms=None):
        self._wire, self._runtime, self._payload = wire, runtime, _UNREAD
        self.phase, self.cancelled, self._verdict = phase, False, None
        self._until = None if deadline_ms is None else time.monotonic() + deadline_ms / 1000

    def __getattr__(self, name):
        if name == "leg":
            return self._wire.get("leg", "sender")
        if name in _MESSAGE_MEMBERS:
            return self._wire.get(_MESSAGE_MEMBERS[name])
        raise AttributeError(name)

    def __repr__(self):
        return "<Message %s %s %s>" % (self.id, self.namespace, self.type)

    @property
    def text(self):
        """The payload, exactly as it came; None for binary."""
        return self._wire.get("payload")

    @property
    def data(self):
        """A binary payload; None for text."""
        encoded = self._wire.get("payloadB64")
        return None if encoded is None else base64.b64decode(encoded)

    @property
    def payload(self):
        """The payload's JSON object; an empty one when the payload is something else."""
        if self._payload is _UNREAD:
            try:
                value = json.loads(self.text or "null")
            except (ValueError, RecursionError):
                value = None
            self._payload = value if isinstance(value, dict) else {}
        return self._payload

    @property
    def remaining(self):
        """Seconds until the deadline; None for what has none."""
        return None if self._until is None else max(0.0, self._until - time.monotonic())

    def complete(self, verdict):
        """Decides about a message that was deferred. Any thread may call this, once."""
        self._runtime.complete(self, verdict)


_UNREAD = object()
_IDS = frozenset((int, str, float, type(None)))
_MESSAGE_MEMBERS = {
    "id": "id", "device": "device", "direction": "direction", "connection": "connection", "sender": "sender",
    "session": "session", "app": "app", "source": "source", "destination": "destination", "namespace": "namespace",
    "type": "type", "request_id": "requestId",
}


class Gateway:
    """What a plugin may ask of the gateway, within its grant. Refusals are raised as GatewayError."""

    def __init__(self, runtime):
        self._runtime = runtime

    def _say(self, method, device, namespace, payload, session, **more):
        params = {"device": device, "namespace": namespace, **_content(payload), **more}
        if session is not None:
            params["session"] = session
        return self._runtime.call(method, params)

    def send(self, device, namespace, payload, session=None, wait=None, leg=None):
        """Says something to the app that runs on a device; with leg="own" to the app that the gateway's own session with a real
        device is with. With wait (seconds), returns the answer's payload."""
        more = {} if wait is None else {"wait": int(wait * 1000)}
        if leg is not None:
            more["leg"] = leg
        answer = self._say("gateway.send", device, namespace, payload, session, **more)
        answer = (answer or {}).get("payload")
        if isinstance(answer, str):
            try:
                return json.loads(answer)
            except ValueError:
                pass
        return answer

    def broadcast(self, device, namespace, payload, session=None):
        """Says something to every sender of a session."""
        self._say("gateway.broadcast", device, namespace, payload, session)

    def call(self, operation, input=None, wait=None, idempotency_key=None, **keys):
        """Has an operation of the gateway done: call("media.seek", device="hall", position=60). Returns what it answers, or, when a
        command goes on after wait seconds, its request. A refusal's data is the problem, as HTTP callers get it."""
        params = {"operation": operation, "input": {**(input or {}), **keys}}
        if wait is not None:
            params["waitMs"] = int(wait * 1000)
        if idempotency_key is not None:
            params["idempotencyKey"] = idempotency_key
        return (self._runtime.call("gateway.call", params) or {}).get("result") or {}

    def publish(self, devices):
        """Names Cast devices that were found, as dicts: name, address, port (8009), id. They are there while this process runs."""
        self._runtime.call("provider.publish", {"devices": devices})

    def withdraw(self, names):
        """Says that devices are not there any more."""
        self._runtime.call("provider.withdraw", {"names": names})

    def emit(self, event, data=None, key=None):
        """Puts an event on the gateway's bus."""
        params = {"event": event, "data": {} if data is None else data}
        if key is not None:
            params["key"] = key
        self._runtime.call("gateway.emit", params)

    def query(self, what, device=None):
        """Returns what is known of "devices", "sessions" or "media"."""
        return self._runtime.call("gateway.query", {"what": what, **({} if device is None else {"device": device})})

    def log(self, level, message, **fields):
        """Writes a line into the gateway's log: trace, debug, info, notice, warning or error."""
        self._runtime.notify("log", {"level": level, "message": str(message), **({"fields": fields} if fields else {})})

    def health_changed(self, status, message=None):
        """Says at once that the plugin's health is now ok, degraded or failing."""
        self._runtime.notify("health.changed", {"status": status, **({} if message is None else {"message": message})})


class Store:
    """The plugin's small durable store: names and JSON values that survive restarts of plugin and gateway."""

    def __init__(self, runtime):
        self._runtime = runtime

    def get(self, key, default=None):
        """The value under a key."""
        value = (self._runtime.call("kv.get", {"key": key}) or {}).get("value")
        return default if value is None else value

    def put(self, key, value):
        """Stores a value; it is on disk when this returns."""
        self._runtime.call("kv.put", {"key": key, "value": value})

    def delete(self, key):
        """Forgets a key; one that is not there is no error."""
        self._runtime.call("kv.delete", {"key": key})

    def list(self, prefix=""):
        """The keys that begin with a prefix, sorted."""
        return (self._runtime.call("kv.list", {"prefix": prefix} if prefix else {}) or {}).get("keys", [])


class Clock:
    """Time, as the plugin is to see it: under `castway plugin test` the transcript moves it."""

    def __init__(self, runtime):
        self._runtime, self._virtual = runtime, None

    def now(self):
        """Seconds since 1970, with a fraction."""
        return time.time() if self._virtual is None else self._virtual

    def monotonic(self):
        """Seconds that only go forward, from an arbitrary beginning."""
        return time.monotonic() if self._virtual is None else self._virtual

    def sleep(self, seconds):
        """Waits; other flows go on."""
        gate = threading.Lock()
        gate.acquire()
        self._runtime.schedule(seconds, gate.release, wakes=True)
        self._runtime.wait(gate)


class Timer:
    """What Plugin.after() and every() return. cancelled says whether cancel() was called."""

    __slots__ = ("_runtime", "cancelled")

    def __init__(self, runtime):
        self._runtime, self.cancelled = runtime, False

    def cancel(self):
        """Calls no more; a call that runs now goes on. Any thread may do this, any number of times."""
        self._runtime.cancel(self)


class Plugin:
    """What a plugin is made of. Override what you need; every method may block."""

    #: How many messages may be under way at once; None leaves it to the gateway.
    max_in_flight = None

    #: What of the grant is wanted, as a list of claims; None takes all of it.
    claims = None

    #: gateway, kv, clock: see the classes above. name: the instance. grant: what gateway.yaml allows. state_dir: a
    #: folder of its own. All are set before configure() is called; config, the configuration in force, after it.
    gateway = kv = clock = config = name = grant = state_dir = None

    def configure(self, config):
        """Takes the configuration, at the start and on every reload. Raises ConfigError, and the old one stays."""

    def start(self, snapshot):
        """Takes what there is: {"devices": [...], "sessions": [...]}, and with a grant on the leg "own" also "realDevices" and
        "ownSessions". Messages come after this."""

    def filter(self, message):
        """Decides whether a message goes on: passed(), rewrite(...), reply(...), reject(...), drop(...)."""

    def handle(self, message):
        """Owns a message of a claimed namespace that no method marked with on() takes."""

    def observe(self, message, dropped):
        """Gets a copy. dropped is how many copies were lost before this one, because the plugin was too slow."""

    def operate(self, call):
        """Does an operation of the manifest that no method marked with operation() does. Returns what it answers, as a dict, or
        PENDING; raises OperationError with a code of the manifest. Operations run beside each other."""
        raise OperationError("unknown", "there is no operation '%s'" % call.operation)

    def event(self, event):
        """Gets what else happens in the gateway: event["type"] is session.started, session.ended, ..."""

    def health(self):
        """"ok", or ("degraded", why), or ("failing", why). An exception that was not caught makes "ok" "degraded" for
        five minutes."""
        return "ok"

    def drain(self):
        """No message comes any more; finish what is under way."""

    def stop(self):
        """The last call. It is not made when the plugin or the gateway dies."""

    def after(self, seconds, call):
        """Calls once, after so many seconds. Returns a Timer."""
        return self._runtime.schedule(seconds, call)

    def every(self, seconds, call):
        """Calls again and again, first after so many seconds. Returns a Timer."""
        return self._runtime.schedule(seconds, call, every=seconds)

    def _operations(self):
        methods = (getattr(self, name) for name in dir(type(self)) if callable(getattr(type(self), name, None)))
        return {method._castway_operation: method for method in methods if hasattr(method, "_castway_operation")}

    def _routes(self):
        routes = {}
        for name in dir(type(self)):
            for route in getattr(getattr(type(self), name, None), "_castway_routes", ()):
                routes[route] = getattr(self, name)
        return routes


def run(plugin):
    """Runs a plugin until the gateway ends it. Takes the class."""
    address = os.environ.get("CASTWAY_CONNECT")
    if not address and not os.environ.get("CASTWAY_PLUGIN_COOKIE"):
        sys.stderr.write(
            "This is a plugin of Castway; a gateway starts it, and talks to it over standard input and output.\n"
            "  castway plugin check DIR    is it right?\n"
            "  castway plugin test DIR     does it do what its transcripts say?\n"
            "  castway plugin run DIR      runs it in a small gateway; with --attach, under your debugger\n")
        sys.exit(64)
    if address:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.connect(address)
        source = sink = line.detach()
    else:
        # The wire moves away from 0 and 1, so that neither input() nor print() can touch it.
        source, sink = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)
    _Runtime(plugin(), source, sink).run()


def _identity(told):
    """Id and version: of the manifest beside the program, or what the gateway said."""
    told = told if type(told) is dict else {}
    identity = {
        "id": told.get("id") or os.environ.get("CASTWAY_PLUGIN_ID") or "unknown",
        "version": told.get("version") or os.environ.get("CASTWAY_PLUGIN_VERSION") or "0"}
    folder = os.path.dirname(os.path.abspath(sys.argv[0] or "."))
    for place in (folder, os.path.dirname(folder)):
        try:
            with open(os.path.join(place, "plugin.yaml"), encoding="utf-8") as manifest:
                text = manifest.read()
        except OSError:
            continue
        for name in identity:
            found = re.search(r"""^%s:[ \t]*["']?([^\s"'#]+)""" % name, text, re.MULTILINE)
            if found:
                identity[name] = found.group(1)
        break
    return identity


def _folded(error):
    """An exception in one line: what it is and where, and the calls that led there, the innermost first."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    calls = ["%s:%s in %s: %s" % (os.path.basename(frame.filename), frame.lineno, frame.name, (frame.line or "")[:80])
             for frame in reversed(frames[-12:])]
    what = "%s: %s" % (error.__class__.__name__, error)
    place = " (%s:%s in %s)" % (os.path.basename(frames[-1].filename), frames[-1].lineno, frames[-1].name) if frames else ""
    return " ".join((what[:500] + place).split()), " < ".join(calls)


class _Ended(Exception):
    """The gateway closed the wire."""


class _Runtime:
    """Reads the wire, runs what it asks for, and writes the answers.

    One thread at a time leads: it reads, runs handlers on its own stack, and writes all answers of what it read at
    once. So a message costs no switch of threads. When a handler blocks, be it on the gateway (wait()) or on
    something that nobody can see (watch() notices), another thread takes the lead, and the blocked one
    carries on as a worker of its flow.
    """

    IDLE_THREADS = 8
    WATCH_INTERVAL = 0.005
    CLOCK_ERROR = 1e-5          # what sums of fractions of seconds can be off
    FAULT_MEMORY = 300          # so many seconds an exception that was not caught counts as ill health

    def __init__(self, plugin, source, sink):
        self.plugin, self.source, self.sink = plugin, source, sink
        self.lock = threading.Lock()
        self.flows = {}             # flow -> jobs that wait for the one that runs
        self.calls = {}             # id of ours -> (gate, place for the answer)
        self.serial = itertools.count(1)
        self.messages = {}          # message id -> message, while it is under way
        self.requests = {}          # id of the gateway's -> message id, while it is not answered
        self.deferred = {}          # message id -> message
        self.operations = {}        # call id -> call, until its outcome was said
        self.operation_methods = plugin._operations()
        self.state = "new"
        self.drained = None
        # The wire.
        self.text, self.position, self.rest, self.skipping = "", 0, [], False
        self.output, self.output_lock = [], threading.Lock()
        # Who leads.
        self.term, self.leader, self.busy, self.turn = 0, None, False, 0
        self.idle, self.promotion = 0, threading.Semaphore(0)
        self.parked, self.unpark = False, threading.Semaphore(0)
        # Time.
        self.timers, self.timer_change, self.timer_thread = [], threading.Condition(self.lock), None
        self.waiting, self.quiet = 0, threading.Condition(self.lock)
        self.largest_line = LARGEST_LINE
        self.fault = None           # the last exception that was not caught: when, and its words
        self.routes = plugin._routes()
        plugin._runtime = self
        plugin.gateway, plugin.kv, plugin.clock = Gateway(self), Store(self), Clock(self)
        self.methods = {
            "initialize": self.initialize, "start": self.start, "reload": self.reload, "health": self.health,
            "drain": self.drain, "shutdown": self.shutdown, "clock.advance": self.advance,
        }

    # -- threads

    def run(self):
        threading.Thread(target=self.watch, name="castway-watch", daemon=True).start()
        self.work()

    def work(self):
        """A thread's life: lead, then be idle until there is something to lead again."""
        while True:
            with self.lock:
                self.leader, term = threading.get_ident(), self.term
            try:
                self.lead(term)
            except _Ended:
                self.exit(0)
            except SystemExit as ending:
                self.exit(ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1)
            except Exception as error:
                # The wire may be what failed; the gateway takes such a line of standard error for one of the log.
                summary, trace = _folded(error)
                sys.stderr.write(_encode({"level": "error", "msg": summary, "traceback": trace}) + "\n")
                self.exit(70)
            with self.lock:
                if self.idle >= self.IDLE_THREADS and threading.current_thread() is not threading.main_thread():
                    return
                self.idle += 1
            self.promotion.acquire()

    def lead(self, term):
        self.flush()
        while True:
            with self.lock:
                if self.term != term:
                    return
                self.busy = False
                job = self.next_job()
                if job is not None:
                    self.busy = True
                    self.turn += 1
            if job is not None:
                self.work_off(job, term)
                continue
            self.flush()
            self.read()
            if self.parked:
                self.parked = False
                self.unpark.release()

    def work_off(self, job, term=None):
        """Runs a job, and what has come for its flow since."""
        while job is not None:
            flow, call, arguments = job
            call(*arguments)
            with self.lock:
                waiting = self.flows[flow]
                if waiting:
                    job = (flow, *waiting.popleft())
                else:
                    del self.flows[flow]
                    job = None
                    if self.waiting or self.plugin.clock._virtual is not None or self.state == "draining":
                        self.quiet.notify_all()
                led = term is not None and self.term == term
        if not led:
            self.flush()

    def watch(self):
        """Takes the lead from a thread that has been in one handler for long, and gives it to another."""
        last, calm = -1, 0
        while True:
            time.sleep(self.WATCH_INTERVAL)
            with self.lock:
                if self.busy and self.leader is not None and self.turn == last:
                    self.promote()
                calm = 0 if self.busy or self.turn != last else calm + 1
                last = self.turn
                if calm > 20:
                    self.parked = True
            if self.parked:
                self.unpark.acquire()
                calm = 0

    def promote(self):
        """Lets another thread lead. Called with the lock held."""
        self.term += 1
        self.leader = None
        if self.idle:
            self.idle -= 1
            self.promotion.release()
        else:
            threading.Thread(target=self.work, name="castway-%d" % self.term, daemon=True).start()

    def wait(self, gate):
        """Waits for a gate to be released; whoever leads hands over first. Who opens the gate counts down waiting."""
        with self.lock:
            self.waiting += 1
            self.quiet.notify_all()
            if self.leader == threading.get_ident():
                self.promote()
        gate.acquire()

    # -- the wire

    def read(self):
        """Reads what there is; blocks until there is something."""
        try:
            data = os.read(self.source, 1 << 16)
        except BlockingIOError:
            select.select([self.source], [], [])
            return
        except ConnectionResetError:
            data = b""
        if not data:
            raise _Ended()
        end = data.rfind(b"\n") + 1
        if end:
            lines = b"".join(self.rest) + data[:end]
            self.rest = [data[end:]]
            if self.skipping:
                lines = lines[lines.index(b"\n") + 1:]
                self.skipping = False
            with self.lock:
                self.text, self.position = lines.decode("utf-8", "replace"), 0
        elif not self.skipping:
            self.rest.append(data)
            if sum(map(len, self.rest)) > self.largest_line:
                self.complain("skipped a line of more than %d bytes" % self.largest_line)
                self.rest, self.skipping = [], True

    def next_job(self):
        """Takes lines up to one that is to be run now. Called with the lock held."""
        text, flows = self.text, self.flows
        while self.position < len(text):
            begin = self.position
            end = text.find("\n", begin)
            self.position = end + 1
            try:
                wire, stopped = _scan(text, begin)
            except (StopIteration, ValueError, RecursionError):
                stopped = -1
            if stopped != end:
                try:
                    wire = json.loads(text[begin:end])
                except (ValueError, RecursionError):
                    if text[begin:end].strip():
                        self.complain("skipped a line that is no JSON")
                        self.write_error(None, PARSE_ERROR, "the line is no JSON")
                    continue
            try:
                job = self.job(wire)
                waiting = None if job is None else flows.get(job[0])
            except TypeError as error:  # A list or an object where a name has to be.
                self.write_error(None, INVALID_REQUEST, str(error))
                continue
            if job is None:
                continue
            if waiting is None:
                flows[job[0]] = collections.deque()
                return job
            waiting.append(job[1:])
        return None

    def job(self, wire):
        """What a line asks for: a flow and a call, or None when it was done at once."""
        if type(wire) is not dict:
            self.write_error(None, INVALID_REQUEST, "a message is one JSON object; batches are not taken")
            return None
        method, id = wire.get("method"), wire.get("id")
        params = wire.get("params")
        if type(params) is not dict:
            params = {}
        if type(id) not in _IDS:
            raise TypeError("an id is a number or a string")
        if method == "message":
            body = params.get("message")
            if type(body) is not dict or id is None:
                self.write_error(id, INVALID_PARAMS, "message: params.message has to be an object")
                return None
            if self.state != "ready":
                self.write_error(id, NOT_READY, "the plugin is " + self.state)
                return None
            deadline = params.get("deadlineMs")
            if type(deadline) not in (int, float):
                deadline = None
            message = Message(body, params.get("phase"), self, deadline)
            self.messages[id] = message
            flow = (body.get("connection"), body.get("source"), body.get("destination"))
            return flow, self.decide, (id, message)
        if method == "operation.call":
            if id is None or type(params.get("call")) is not str:
                self.write_error(id, INVALID_PARAMS, "operation.call: params.call has to be a text")
                return None
            if self.state != "ready":
                self.write_error(id, NOT_READY, "the plugin is " + self.state)
                return None
            call = Call(params, self)
            self.operations[call.id] = call
            return "operation " + call.id, self.operate, (id, call)
        if method is None:
            if id is not None and ("result" in wire or "error" in wire):
                self.answered(id, wire)
            else:
                self.write_error(id, INVALID_REQUEST, "neither a request nor an answer")
            return None
        if id is None:
            return self.notification(method, params)
        call = self.methods.get(method) if type(method) is str else None
        if call is None:
            self.write_error(id, METHOD_NOT_FOUND, "unknown method %s" % method)
            return None
        return method if method in ("health", "clock.advance") else "control", self.control, (id, call, params)

    def notification(self, method, params):
        if method == "event":
            return "event", self.observe, (params,)
        if method == "request.abort":
            call = self.operations.pop(params.get("call"), None)
            if call is not None:
                call.aborted = True
                self.quiet.notify_all()
        if method == "cancel":
            message = self.messages.get(params.get("id")) or self.deferred.pop(params.get("messageId"), None)
            if message is not None:
                message.cancelled = True
                self.quiet.notify_all()
        return None

    def answered(self, id, wire):
        call = self.calls.pop(id, None) if type(id) is str else None
        if call is None:
            self.complain("an answer to %r, which nobody asked" % (id,))
            return
        gate, place = call
        place.append(wire)
        self.waiting -= 1
        gate.release()

    def call(self, method, params):
        """Asks the gateway, and waits for its answer."""
        id = "p%d" % next(self.serial)
        gate, place = threading.Lock(), []
        gate.acquire()
        line = '{"jsonrpc":"2.0","id":"%s","method":"%s","params":%s}\n' % (id, method, _encode(params))
        with self.lock:
            self.calls[id] = (gate, place)
        self.output.append(line)
        self.flush()
        self.wait(gate)
        error = place[0].get("error")
        if error is not None:
            raise GatewayError(error.get("code", INTERNAL_ERROR), error.get("message", "refused"), error.get("data"))
        return place[0].get("result")

    def notify(self, method, params):
        self.output.append('{"jsonrpc":"2.0","method":"%s","params":%s}\n' % (method, _encode(params)))
        if self.leader != threading.get_ident():
            self.flush()

    def write_error(self, id, code, message, data=None):
        error = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self.output.append('{"jsonrpc":"2.0","id":%s,"error":%s}\n' % (_encode(id), _encode(error)))

    def flush(self):
        with self.output_lock:
            count = len(self.output)
            if not count:
                return
            lines = self.output[:count]
            del self.output[:count]
            data = memoryview("".join(lines).encode("ascii"))
            try:
                while data:
                    try:
                        data = data[os.write(self.sink, data):]
                    except BlockingIOError:
                        select.select([], [self.sink], [])
            except OSError:
                self.exit(0)  # Nobody listens any more.

    def failed(self, error):
        """An exception that nothing caught: one line of the log, and ill health."""
        summary, trace = _folded(error)
        self.fault = (self.plugin.clock.monotonic(), summary)
        self.notify("log", {"level": "error", "message": summary, "fields": {"traceback": trace}})

    def complain(self, what):
        sys.stderr.write("castway.py: %s\n" % what)

    # -- messages

    def decide(self, id, message):
        if message.cancelled:
            self.messages.pop(id, None)
            return
        try:
            phase = message.phase
            method = None
            if self.routes:
                kind, wire = message._wire.get("type"), message._wire
                method = self.routes.get((phase, wire.get("namespace"), kind)) or self.routes.get((phase, None, kind))
            if method is None:
                method = self.plugin.filter if phase == "filter" else self.plugin.handle
            verdict = method(message)
            if verdict is None:
                result = '{"disposition":"pass"}'
            elif type(verdict) is Verdict:
                result = _encode(verdict.body)
                if verdict.body["disposition"] == "defer":
                    return self.put_off(id, message, result)
            else:
                raise TypeError("%s returned %r, which is no verdict" % (method.__name__, verdict))
        except Exception as error:
            self.failed(error)
            self.messages.pop(id, None)
            self.write_error(id, INTERNAL_ERROR, "%s: %s" % (error.__class__.__name__, error))
            return
        self.messages.pop(id, None)
        if not message.cancelled:
            self.output.append(
                '{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (id if type(id) is int else _encode(id), result))

    def operate(self, id, call):
        try:
            result = (self.operation_methods.get(call.operation) or self.plugin.operate)(call)
            line = _encode({"pending": True} if result is PENDING else {"result": {} if result is None else result})
        except OperationError as error:
            data = {"code": error.code, **({"members": error.members} if error.members else {})}
            return self.answer_call(id, call, lambda: self.write_error(id, OPERATION_FAILED, error.message, data))
        except GatewayError as error:
            summary = "%s" % error
            return self.answer_call(id, call, lambda: self.write_error(id, INTERNAL_ERROR, summary))
        except Exception as error:
            self.failed(error)
            summary = "%s: %s" % (error.__class__.__name__, error)
            return self.answer_call(id, call, lambda: self.write_error(id, INTERNAL_ERROR, summary))
        text = '{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (_encode(id), line)
        if result is PENDING:
            with self.lock:
                if call.id in self.operations:  # else its outcome was said already
                    self.output.append(text)
            return
        self.answer_call(id, call, lambda: self.output.append(text))

    def answer_call(self, id, call, answer):
        with self.lock:
            self.operations.pop(call.id, None)
            if not call.aborted:
                answer()

    def settle(self, call, method, params):
        """Says the outcome of a call that is pending."""
        with self.lock:
            if self.operations.pop(call.id, None) is None:
                return
            self.quiet.notify_all()
        self.notify(method, {"call": call.id, **params})

    def put_off(self, id, message, result):
        """Answers that the verdict comes later. It may be there already: another thread can be quicker."""
        with self.lock:
            self.messages.pop(id, None)
            if message.cancelled:
                return
            self.output.append('{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (_encode(id), result))
            if message._verdict is None:
                self.deferred[message.id] = message
                return
        self.notify("message.complete", {"messageId": message.id, **message._verdict.body})

    def complete(self, message, verdict):
        verdict = passed() if verdict is None else verdict
        with self.lock:
            known = self.deferred.pop(message.id, None)
            if known is None:
                message._verdict = verdict
                return
            self.quiet.notify_all()
        self.notify("message.complete", {"messageId": message.id, **verdict.body})

    def observe(self, params):
        try:
            if params.get("type") == "message" and type(params.get("message")) is dict:
                message = Message(params["message"], "observe")
                dropped = params.get("dropped", 0)
                route = self.routes.get(("observe", message.namespace, message.type)) \
                    or self.routes.get(("observe", None, message.type))
                (route or self.plugin.observe)(message, dropped)
            else:
                self.plugin.event(params)
        except Exception as error:
            self.failed(error)

    # -- the plugin's life

    def control(self, id, call, params):
        try:
            line = '{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (_encode(id), _encode(call(params)))
        except ConfigError as error:
            errors = [{"path": path, "message": message} for path, message in error.errors]
            self.write_error(id, CONFIG_INVALID, "invalid configuration: %s" % error, {"errors": errors})
            if self.state == "new":
                self.flush()
                self.exit(EXIT_CONFIGURATION)
            return
        except GatewayError as error:
            self.write_error(id, error.code, error.message, error.data)
            return
        except Exception as error:
            self.failed(error)
            self.write_error(id, INTERNAL_ERROR, "%s: %s" % (error.__class__.__name__, error))
            return
        self.output.append(line)
        if self.state == "stopped":
            self.flush()
            self.exit(0)

    def initialize(self, params):
        if self.state != "new":
            raise GatewayError(INVALID_REQUEST, "initialize came twice")
        offered = params.get("protocol")
        offered = offered if type(offered) is dict else {}
        least, most = offered.get("min", PROTOCOL), offered.get("max", PROTOCOL)
        if not (type(least) is int and type(most) is int and least <= PROTOCOL <= most):
            raise GatewayError(
                INVALID_PARAMS, "this plugin speaks protocol %d, the gateway %s to %s" % (PROTOCOL, least, most))
        plugin, features = self.plugin, ["defer"]
        plugin.name, plugin.grant = params.get("instance"), params.get("grant") or {}
        plugin.state_dir = params.get("stateDir") or os.environ.get("CASTWAY_STATE_DIR")
        self.largest_line = (params.get("limits") or {}).get("maxLine") or LARGEST_LINE
        if "test.clock" in (params.get("features") or ()):
            plugin.clock._virtual = (params.get("clock") or {}).get("now", 0) / 1000
            features.append("test.clock")
        self.configure(params.get("config"))
        self.state = "initialized"
        result = {"protocol": PROTOCOL, "plugin": _identity(params.get("plugin")), "features": features}
        if plugin.claims is not None:
            result["claims"] = plugin.claims
        if plugin.max_in_flight is not None:
            result["maxInFlight"] = plugin.max_in_flight
        return result

    def configure(self, config):
        config = config if type(config) is dict else {}
        self.plugin.configure(config)
        self.plugin.config = config

    def start(self, params):
        if self.state != "initialized":
            raise GatewayError(INVALID_REQUEST, "start comes once, after initialize")
        snapshot = params.get("snapshot") or {}
        own = {name: snapshot[name] for name in ("realDevices", "ownSessions") if name in snapshot}
        self.plugin.start({"devices": snapshot.get("devices", []), "sessions": snapshot.get("sessions", []), **own})
        self.state = "ready"
        return {}

    def reload(self, params):
        before, grant = self.plugin.grant, params.get("grant")
        if type(grant) is dict:
            self.plugin.grant = grant
        try:
            self.configure(params.get("config"))
        except Exception:
            self.plugin.grant = before
            raise
        return {"outcome": "applied"}

    def health(self, params):
        health = self.plugin.health()
        if not isinstance(health, str):
            return {"status": health[0], "message": health[1]}
        if health == "ok" and self.fault is not None:
            when, summary = self.fault
            if self.plugin.clock.monotonic() - when < self.FAULT_MEMORY:
                return {"status": "degraded", "message": summary}
            self.fault = None
        return {"status": health}

    def drain(self, params):
        limit = params.get("deadlineMs")
        limit = limit / 1000 if type(limit) in (int, float) else 5.0
        ends = time.monotonic() + limit
        with self.lock:
            self.state = "draining"
            # Whoever waits must not lead, or nobody reads the answers that the others wait for.
            if self.leader == threading.get_ident():
                self.promote()
            while self.messages or self.deferred or self.operations:
                left = ends - time.monotonic()
                if left <= 0 or not self.quiet.wait(left):
                    break
        self.plugin.drain()
        return {}

    def shutdown(self, params):
        self.plugin.stop()
        self.state = "stopped"
        return {}

    def exit(self, code):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        os._exit(code)

    # -- time

    def schedule(self, seconds, call, every=None, wakes=False):
        timer = Timer(self)
        with self.lock:
            due = self.plugin.clock.monotonic() + seconds
            heapq.heappush(self.timers, (due, next(self.serial), call, every, wakes, timer))
            if self.plugin.clock._virtual is None:
                if self.timer_thread is None:
                    self.timer_thread = threading.Thread(target=self.tick, name="castway-timers", daemon=True)
                    self.timer_thread.start()
                self.timer_change.notify()
        return timer

    def cancel(self, timer):
        with self.lock:
            timer.cancelled = True
            kept = [entry for entry in self.timers if entry[5] is not timer]
            if len(kept) < len(self.timers):
                heapq.heapify(kept)
                self.timers = kept

    def due_timer(self, limit):
        """The next timer that is due by then, or None. Called with the lock held."""
        if not self.timers or self.timers[0][0] > limit:
            return None
        due, _, call, every, wakes, timer = heapq.heappop(self.timers)
        if every:
            heapq.heappush(self.timers, (due + every, next(self.serial), call, every, wakes, timer))
        if wakes:
            self.waiting -= 1
        return due, call, timer

    def tick(self):
        """Runs timers by the real clock, one after the other."""
        while True:
            with self.lock:
                timer = self.due_timer(time.monotonic())
                if timer is None:
                    self.timer_change.wait(max(0.0, self.timers[0][0] - time.monotonic()) if self.timers else None)
                    continue
            self.ring(*timer[1:])

    def ring(self, call, timer):
        if not timer.cancelled:     # it may be between being due and being called
            try:
                call()
            except Exception as error:
                self.failed(error)
        self.flush()

    def advance(self, params):
        """Moves the clock of a test as far as the next timer, lets it run, and says how far that was."""
        clock, target = self.plugin.clock, params.get("now", 0)
        if clock._virtual is None:
            raise GatewayError(METHOD_NOT_FOUND, "the clock is real")
        with self.lock:
            if self.leader == threading.get_ident():
                self.promote()
            # What waits for the gateway is idle too, or the test could never answer it.
            self.quiet.wait_for(lambda: len(self.flows) - self.waiting <= 1)
            timer = self.due_timer(target / 1000 + self.CLOCK_ERROR)
            if timer is None:
                clock._virtual = max(clock._virtual, target / 1000)
                return {"now": target}
            clock._virtual = max(clock._virtual, timer[0])
            flow = "timer %d" % next(self.serial)
            self.flows[flow] = collections.deque()
        threading.Thread(target=self.work_off, args=((flow, self.ring, timer[1:]),), daemon=True).start()
        with self.lock:
            self.quiet.wait_for(lambda: len(self.flows) - self.waiting <= 1)
            more = bool(self.timers) and self.timers[0][0] <= target / 1000 + self.CLOCK_ERROR
            if not more:
                clock._virtual = max(clock._virtual, target / 1000)
            # Below the target means: ask again, there is more to do.
            return {"now": target if not more else min(target - 1, int(clock._virtual * 1000))}
