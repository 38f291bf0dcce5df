"""A plugin that does what the messages tell it, and the worst of it too."""
import json, os, signal, subprocess, sys, time

out = sys.stdout


def say(value):
    out.write(json.dumps(value) + "\n")
    out.flush()


def answer(id, result):
    say({"jsonrpc": "2.0", "id": id, "result": result})


config = {}
draining = False
asked = {}
last = None


def message(id, m):
    global last
    body = json.loads(m["payload"]) if m["payload"].startswith("{") else {}
    what = body.get("type", "")
    if draining and what != "COMPLETE":
        say({"jsonrpc": "2.0", "id": id, "error": {"code": -32002, "message": "draining"}})
    elif what == "SLEEP":
        time.sleep(body["seconds"])
        answer(id, {"disposition": "reply", "payload": m["payload"]})
    elif what == "ECHO":
        answer(id, {"disposition": "reply", "payload": m["payload"]})
    elif what == "PASS":
        answer(id, {})
    elif what == "CRASH":
        os._exit(body.get("status", 1))
    elif what == "KILL":
        os.kill(os.getpid(), signal.SIGKILL)
    elif what == "STOP":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif what == "HANG":
        last = id
    elif what == "LATE":
        answer(last, {"disposition": "drop", "reason": "late"})
        answer(id, {"disposition": "reply", "payload": {"type": "LATER"}})
    elif what == "TWICE":
        answer(id, {"disposition": "reply", "payload": {"type": "ONCE"}})
        answer(id, {"disposition": "reply", "payload": {"type": "TWICE"}})
    elif what == "UNKNOWN":
        answer(987654, {})
        answer("text", {})
        answer(id, {"disposition": "reply", "payload": {"type": "KNOWN"}})
    elif what == "STRAY":
        out.write("a print that went wrong\n{\"half\": \n")
        answer(id, {"disposition": "reply", "payload": {"type": "STRAYED"}})
    elif what == "BIG":
        out.write("x" * body["size"] + "\n")
        answer(id, {"disposition": "reply", "payload": {"type": "BIG_DONE"}})
    elif what == "ENDLESS":
        while True:
            out.write("x" * 65536)
    elif what == "FLOOD":
        while True:
            out.write("flood\n")
    elif what == "ERROR":
        say({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "oops"}})
    elif what == "NONSENSE":
        answer(id, {"disposition": "explode"})
    elif what == "WRONG_PHASE":
        answer(id, {"disposition": "rewrite", "payload": "x"})
    elif what == "DEFER":
        answer(id, {"disposition": "defer", "maxMs": body.get("ms", 5000)})
        asked["deferred"] = m["id"]
    elif what == "COMPLETE":
        say({"jsonrpc": "2.0", "method": "message.complete",
             "params": {"messageId": asked["deferred"], "disposition": "reply", "payload": {"type": "COMPLETED"}}})
        answer(id, {"disposition": "handled"})
    elif what == "EFFECTS":
        answer(id, {"disposition": "handled", "effects": body["effects"]})
    elif what == "CALL":
        asked["call"] = id
        say({"jsonrpc": "2.0", "id": "c1", "method": body["method"], "params": body["params"]})
    elif what == "MALFORMED_CALL":
        # Under the number of the gateway's own request.
        say({"jsonrpc": "2.0", "id": id, "method": "kv.put", "params": {}})
        asked["malformed"] = id
    elif what == "NAG":
        # Asks and asks, and reads no answer.
        while True:
            out.write('{"jsonrpc":"2.0","id":"' + "n" * 900 + '","method":"nothing.of.the.kind"}\n')
    elif what == "MOODS":
        for number in range(body["count"]):
            say({"jsonrpc": "2.0", "method": "health.changed",
                 "params": {"status": "degraded" if number % 2 else "ok", "message": "m" * 5000}})
        answer(id, {"disposition": "reply", "payload": {"type": "MOODS_DONE"}})
    elif what == "NOISE":
        for number in range(body["lines"]):
            print(body["text"], file=sys.stderr)
        sys.stderr.flush()
        answer(id, {"disposition": "reply", "payload": {"type": "NOISY"}})
    elif what == "ENVIRONMENT":
        answer(id, {"disposition": "reply", "payload": {"type": "ENVIRONMENT", **dict(os.environ)}})
    elif what == "CONFIG":
        answer(id, {"disposition": "reply", "payload": {"type": "CONFIG", "config": config, "pid": os.getpid()}})
    elif what == "DAEMON":
        daemon = subprocess.Popen(
            ["/bin/sh", "-c", "trap '' TERM; echo up; while :; do sleep 1000; done # " + body["mark"]],
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        daemon.stdout.readline()
        answer(id, {"disposition": "reply", "payload": {"type": "DAEMON_UP"}})
    elif what == "BURN":
        while True:
            pass
    elif what == "ALLOCATE":
        try:
            keep = bytearray(1 << 30)
        except MemoryError:
            os._exit(3)


for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params", {})
    if method is None:
        if "initialize" in asked:
            # Too early.
            if m.get("error", {}).get("code") != -32002:
                os._exit(9)
            answer(asked.pop("initialize"), {"protocol": 1, "plugin": {"id": "test.actor", "version": "1"}})
            continue
        if "malformed" in asked:
            answer(asked.pop("malformed"), {"disposition": "reply", "payload": {
                "type": "REFUSED", "code": m.get("error", {}).get("code")}})
            continue
        if "start" in asked:
            answer(asked.pop("start"), {} if m.get("result") == {"keys": []} else None)
            continue
        reply = m.get("result", {"error": m.get("error", {}).get("code"), "text": m.get("error", {}).get("message")})
        answer(asked.pop("call"), {"disposition": "reply", "payload": {"type": "RESULT", **reply}})
    elif method == "initialize":
        config = params["config"]
        mode = config.get("mode")
        if mode == "refuse":
            say({"jsonrpc": "2.0", "id": id, "error": {"code": -32010, "message": "invalid configuration",
                 "data": {"errors": [{"path": "/mode", "message": "must not be refuse"}]}}})
            continue
        if mode == "exit":
            os._exit(config.get("status", 0))
        if mode == "silent":
            continue
        if mode == "ask":
            asked["initialize"] = id
            say({"jsonrpc": "2.0", "id": "c0", "method": "kv.list", "params": {}})
            continue
        if mode == "stray":
            print("starting up, please wait")
        result = {"protocol": config.get("protocol", 1), "plugin": {"id": config.get("id", "test.actor"), "version": "1"}}
        if "claims" in config:
            result["claims"] = config["claims"]
        if "maxInFlight" in config:
            result["maxInFlight"] = config["maxInFlight"]
        answer(id, result)
    elif method == "message":
        message(id, params["message"])
    elif method == "event":
        if config.get("tell"):
            say({"jsonrpc": "2.0", "method": "log", "params": {"level": "notice", "message": "event " + params["type"],
                 "fields": {"dropped": params["dropped"], "payload": params.get("message", {}).get("payload", "")}}})
    elif method == "cancel":
        say({"jsonrpc": "2.0", "method": "log", "params": {"level": "notice", "message": "cancel " + params["reason"]}})
    elif method == "reload":
        wanted = params["config"]
        if wanted.get("mode") == "refuse":
            say({"jsonrpc": "2.0", "id": id, "error": {"code": -32010, "message": "invalid configuration",
                 "data": {"errors": [{"path": "/mode", "message": "must not be refuse"}]}}})
        elif wanted.get("mode") == "replace":
            answer(id, {"outcome": "replace"})
        else:
            config = wanted
            answer(id, {"outcome": "applied"})
    elif method == "start" and config.get("mode") == "ask":
        asked["start"] = id
        say({"jsonrpc": "2.0", "id": "c1", "method": "kv.list", "params": {}})
    elif method == "shutdown":
        answer(id, {})
        if config.get("mode") != "stay":
            break
    elif method == "drain" and config.get("mode") == "crash_in_drain":
        os._exit(9)
    elif method == "drain":
        draining = True
        answer(id, {})
        if "deferred" in asked:
            # What takes a moment longer than the answer.
            time.sleep(0.1)
            say({"jsonrpc": "2.0", "method": "message.complete",
                 "params": {"messageId": asked["deferred"], "disposition": "reply", "payload": {"type": "COMPLETED"}}})
    elif id is not None:
        answer(id, {})
if config.get("mode") == "stay":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1000)
