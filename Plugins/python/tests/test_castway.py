"""The kit, over its wire: a process is talked to as the gateway does."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Peer:
    def __init__(self, cookie=True, connect=False):
        self.ours, theirs = socket.socketpair()
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONDONTWRITEBYTECODE": "1"}
        if cookie:
            environment["CASTWAY_PLUGIN_COOKIE"] = "castway"
        command = [sys.executable, os.path.join(HERE, "subject.py")]
        if connect:
            with tempfile.TemporaryDirectory() as folder:
                environment["CASTWAY_CONNECT"] = os.path.join(folder, "wire.sock")
                with socket.socket(socket.AF_UNIX) as listener:
                    listener.bind(environment["CASTWAY_CONNECT"])
                    listener.listen()
                    self.process = subprocess.Popen(
                        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        env=environment)
                    self.ours.close()
                    self.ours = listener.accept()[0]
        else:
            self.process = subprocess.Popen(
                command, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=environment)
        theirs.close()
        self.ours.settimeout(20)
        self.lines = self.ours.makefile("rb")
        self.last = 0

    def write(self, text):
        self.ours.sendall(text.encode("utf-8", "surrogatepass"))

    def say(self, **members):
        self.write(json.dumps({"jsonrpc": "2.0", **members}) + "\n")

    def hear(self):
        line = self.lines.readline()
        return json.loads(line) if line else None

    def request(self, method, **params):
        self.last += 1
        self.say(id=self.last, method=method, params=params)
        return self.last

    def ask(self, method, **params):
        id = self.request(method, **params)
        answer = self.hear()
        assert answer["id"] == id, answer
        return answer.get("result", answer.get("error"))

    def begin(self, config=None, features=(), now=None):
        clock = {"clock": {"now": now}} if now is not None else {}
        result = self.ask(
            "initialize", protocol={"min": 1, "max": 3}, instance="x", features=list(features), config=config or {}, **clock)
        self.ask("start", snapshot={"devices": [{"name": "hall"}], "sessions": []})
        return result

    def message(self, payload, flow="sender-1", phase="handle", **members):
        text = payload if isinstance(payload, str) else json.dumps(payload)
        type = payload.get("type") if isinstance(payload, dict) else None
        content = {} if "payloadB64" in members else {"payload": text}
        return self.request("message", phase=phase, deadlineMs=1000, message={
            "id": "m-%d" % (self.last + 1), "source": flow, "destination": "web-1", "type": type, **content, **members})

    def end(self):
        self.ours.close()
        self.lines.close()
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors.decode()


class KitTests(unittest.TestCase):
    def peer(self, begin=True, **options):
        peer = Peer(**options)
        self.addCleanup(lambda: peer.process.poll() is None and peer.process.kill())
        if begin:
            peer.begin()
        return peer

    def test_the_handshake_says_what_it_is(self):
        peer = self.peer(begin=False)
        self.assertEqual(peer.begin({"color": "red"}), {
            "protocol": 1, "plugin": {"id": "unknown", "version": "0"}, "features": ["defer"], "maxInFlight": 7})
        peer.message({"type": "DEVICES"})
        self.assertEqual(
            peer.hear()["result"]["payload"], {"devices": ["hall"], "color": "red", "config": {"color": "red"}})
        self.assertEqual(peer.end()[0], 0)

    def call(self, peer, operation, **input):
        id = peer.last + 1
        peer.request(
            "operation.call", call="c-%d" % id, operation=operation, input=input,
            caller={"name": "ci", "scopes": ["read"]}, deadlineMs=10000, request="r-1")
        return id

    def test_operations_are_answered(self):
        peer = self.peer()
        self.call(peer, "echo", a=1)
        self.assertEqual(peer.hear()["result"], {"result": {"input": {"a": 1}, "caller": "ci", "request": "r-1"}})
        self.call(peer, "fail")
        self.assertEqual(peer.hear()["error"], {
            "code": -32011, "message": "nothing is played",
            "data": {"code": "no_game", "members": {"hint": "start one"}}})
        self.call(peer, "none")
        self.assertEqual(peer.hear()["error"]["data"], {"code": "unknown"})
        self.call(peer, "wrong")
        lines = [peer.hear(), peer.hear()]
        self.assertEqual(sorted(line.get("method", "answer") for line in lines), ["answer", "log"])
        peer.end()

    def test_an_outcome_may_come_later(self):
        peer = self.peer()
        id = self.call(peer, "wait")
        self.assertEqual(peer.hear(), {
            "jsonrpc": "2.0", "method": "request.progress",
            "params": {"call": "c-%d" % id, "fraction": 0.5, "text": "half of it"}})
        self.assertEqual(peer.hear()["result"], {"pending": True})
        end = self.call(peer, "end")
        self.assertEqual(peer.hear()["params"], {"call": "c-%d" % id, "result": {"aborted": False}})
        self.assertEqual(peer.hear(), {"jsonrpc": "2.0", "id": end, "result": {"result": {"aborted": False}}})
        early = self.call(peer, "early")
        self.assertEqual(peer.hear()["params"], {"call": "c-%d" % early, "code": "no_game", "message": "at once"})
        peer.end()

    def test_an_aborted_operation_says_nothing(self):
        peer = self.peer()
        id = self.call(peer, "wait")
        peer.hear(), peer.hear()
        peer.say(method="request.abort", params={"call": "c-%d" % id, "reason": "cancelled"})
        end = self.call(peer, "end")
        self.assertEqual(peer.hear(), {"jsonrpc": "2.0", "id": end, "result": {"result": {"aborted": True}}})
        self.assertEqual(peer.ask("drain", deadlineMs=5000), {})
        peer.end()

    def test_operations_of_the_gateway_are_called(self):
        peer = self.peer()
        id = self.call(peer, "seek")
        asked = peer.hear()
        self.assertEqual((asked["method"], asked["params"]), ("gateway.call", {
            "operation": "media.seek", "input": {"device": "hall", "position": 60}, "waitMs": 1000}))
        peer.say(id=asked["id"], result={"status": 200, "result": {"position": 60}})
        self.assertEqual(peer.hear(), {"jsonrpc": "2.0", "id": id, "result": {"result": {"position": 60}}})
        self.call(peer, "name")
        for method, params in [("provider.publish", {"devices": [{"name": "annex", "address": "192.0.2.1"}]}),
                               ("provider.withdraw", {"names": ["annex"]})]:
            asked = peer.hear()
            self.assertEqual((asked["method"], asked["params"]), (method, params))
            peer.say(id=asked["id"], result={})
        self.assertEqual(peer.hear()["result"], {"result": {}})
        peer.end()

    def test_another_protocol_is_refused_with_both_versions(self):
        peer = self.peer(begin=False)
        error = peer.ask("initialize", protocol={"min": 2, "max": 3})
        self.assertEqual(error, {"code": -32602, "message": "this plugin speaks protocol 1, the gateway 2 to 3"})
        peer.end()

    def test_by_hand_it_says_what_it_is(self):
        peer = self.peer(begin=False, cookie=False)
        status, errors = peer.end()
        self.assertEqual(status, 64)
        self.assertIn("castway plugin run DIR", errors)

    def test_a_bad_configuration_at_the_start_ends_it_with_78(self):
        peer = self.peer(begin=False)
        error = peer.ask("initialize", protocol={"min": 1, "max": 1}, config={"color": "wrong"})
        self.assertEqual((error["code"], error["data"]), (-32010, {"errors": [{"path": "/color", "message": "expected a color"}]}))
        self.assertEqual(peer.process.wait(20), 78)
        peer.end()

    def test_a_bad_reload_keeps_the_old_configuration(self):
        peer = self.peer(begin=False)
        peer.begin({"color": "red"})
        self.assertEqual(peer.ask("reload", config={"color": "wrong"})["code"], -32010)
        peer.message({"type": "DEVICES"})
        self.assertEqual(peer.hear()["result"]["payload"]["config"], {"color": "red"})
        self.assertEqual(peer.ask("reload", config={"color": "blue"}), {"outcome": "applied"})
        peer.message({"type": "DEVICES"})
        self.assertEqual(peer.hear()["result"]["payload"]["color"], "blue")
        peer.end()

    def test_texts_come_back_as_they_came(self):
        peer = self.peer()
        for text in ("", "\\\"\u00e9\U0001f600\n\t\u0000\u2028", "\ud800 alone", "x" * 65536, '{"a":"\\ud83d\\ude00"}'):
            peer.message(text)
            self.assertEqual(peer.hear()["result"], {"disposition": "reply", "payload": text})
        peer.message("", payloadB64="AAEC/w==")
        self.assertEqual(peer.hear()["result"], {"disposition": "reply", "payloadB64": "AAEC/w=="})
        self.assertIn("this goes to the log", peer.end()[1])

    def test_effects_are_as_on_the_wire(self):
        peer = self.peer()
        peer.message({"type": "EFFECTS"})
        self.assertEqual(peer.hear()["result"], {"disposition": "handled", "effects": [
            {"do": "reply_to_sender", "payload": {"a": 1}},
            {"do": "broadcast", "payload": {"b": 2}, "namespace": "urn:x-cast:b"},
            {"do": "send_to_receiver", "payload": "c"},
            {"do": "emit", "event": "d", "data": {"e": 5}, "key": "k"},
            {"do": "kv.put", "key": "f", "value": [6]}, {"do": "kv.delete", "key": "g"},
            {"do": "log", "level": "info", "message": "h"}]})
        peer.message("{}", phase="filter")
        self.assertEqual(peer.hear()["result"], {"disposition": "reject", "reason": "NOT_ALLOWED", "message": "because"})
        peer.end()

    def test_a_handler_that_waits_holds_back_its_own_flow_only(self):
        peer = self.peer()
        asking, behind = peer.message({"type": "ASK"}), peer.message({"type": "A"})
        call = peer.hear()
        self.assertEqual(call["params"], {
            "device": "hall", "namespace": "urn:x-cast:a", "payload": {"type": "Q"}, "wait": 1500})
        other = peer.message({"type": "B"}, flow="sender-2")
        self.assertEqual(peer.hear()["id"], other)
        self.assertEqual(peer.ask("health"), {"status": "degraded", "message": "feeling so"})
        peer.say(id=call["id"], result={"payload": '{"type":"R"}'})
        answer = peer.hear()
        self.assertEqual((answer["id"], answer["result"]["payload"]), (asking, {"answer": {"type": "R"}}))
        self.assertEqual(peer.hear()["id"], behind)
        peer.end()

    def test_a_handler_that_blocks_unseen_holds_back_its_own_flow_only(self):
        peer = self.peer()
        held, behind = peer.message({"type": "HOLD"}), peer.message({"type": "A"})
        opener = peer.message({"type": "LET_GO"}, flow="sender-2")
        self.assertEqual(peer.hear(), {"jsonrpc": "2.0", "id": opener, "result": {"disposition": "pass"}})
        self.assertEqual([peer.hear()["id"] for _ in range(2)], [held, behind])
        peer.end()

    def test_many_handlers_may_wait_at_once(self):
        peer = self.peer()
        ids = [peer.message({"type": "ASK"}, flow="sender-%d" % number) for number in range(64)]
        calls = [peer.hear()["id"] for _ in ids]
        for call in reversed(calls):
            peer.say(id=call, result={"payload": {"type": "R"}})
        self.assertEqual({peer.hear()["id"] for _ in ids}, set(ids))
        peer.end()

    def test_refusals_are_raised(self):
        peer = self.peer()
        peer.message({"type": "ASK"})
        peer.say(id=peer.hear()["id"], error={"code": -32001, "message": "not granted"})
        self.assertEqual(peer.hear()["params"]["level"], "error")
        self.assertEqual(peer.hear()["error"], {"code": -32603, "message": "GatewayError: not granted (-32001)"})
        peer.end()

    def test_the_store(self):
        peer = self.peer()
        peer.message({"type": "STORE"})
        for method, params, result in (
                ("kv.get", {"key": "n"}, {}), ("kv.put", {"key": "n", "value": 1}, {}),
                ("kv.list", {"prefix": "n"}, {"keys": ["n"]})):
            call = peer.hear()
            self.assertEqual((call["method"], call["params"]), (method, params))
            peer.say(id=call["id"], result=result)
        self.assertEqual(peer.hear()["result"]["payload"], {"keys": ["n"]})
        peer.end()

    def test_a_failure_costs_one_message(self):
        peer = self.peer()
        peer.message({"type": "FAIL"})
        self.assertEqual(peer.hear()["method"], "log")
        self.assertEqual(peer.hear()["error"], {"code": -32603, "message": "ValueError: no such thing"})
        peer.message({"type": "NONSENSE"})
        self.assertEqual(peer.hear()["method"], "log")
        self.assertIn("no verdict", peer.hear()["error"]["message"])
        peer.message("fine")
        self.assertEqual(peer.hear()["result"]["payload"], "fine")
        self.assertNotIn("Traceback", peer.end()[1])

    def test_an_exception_is_one_line_of_the_log_and_ill_health(self):
        peer = self.peer(begin=False)
        peer.begin({"color": "well"}, features=["test.clock"], now=1_000_000)
        self.assertEqual(peer.ask("health"), {"status": "ok"})
        for cause, words, function in (
                ("FAIL", "ValueError: no such thing", "fail"),
                ("FAIL_LATER", "ZeroDivisionError: integer division or modulo by zero", "<lambda>")):
            request = peer.message({"type": cause})
            if cause == "FAIL_LATER":
                self.assertEqual(peer.hear()["id"], request)
                request = peer.request("clock.advance", now=1_000_000)
            record = peer.hear()
            self.assertEqual(record["method"], "log")
            self.assertEqual(record["params"]["level"], "error")
            self.assertRegex(record["params"]["message"], r"^%s \(subject\.py:[0-9]+ in %s\)$" % (words, function))
            self.assertRegex(record["params"]["fields"]["traceback"], r"^subject\.py:[0-9]+ in %s: " % function)
            self.assertNotIn("\n", record["params"]["fields"]["traceback"])
            self.assertEqual(peer.hear()["id"], request)
            self.assertEqual(peer.ask("health")["status"], "degraded")
            self.assertIn(words, peer.ask("health")["message"])
        peer.ask("clock.advance", now=1_299_000)
        self.assertEqual(peer.ask("health")["status"], "degraded")
        peer.ask("clock.advance", now=1_301_000)
        self.assertEqual(peer.ask("health"), {"status": "ok"})
        self.assertEqual(peer.end()[1], "")

    def test_timers_can_be_cancelled(self):
        for now in (None, 1_000_000):
            peer = self.peer(begin=False)
            peer.begin(features=["test.clock"] if now else [], now=now)
            peer.message({"type": "TIMERS"})
            self.assertEqual(peer.hear()["result"]["disposition"], "defer")
            step = now
            while True:
                if now:
                    step += 100
                    advance = peer.request("clock.advance", now=step)
                heard = peer.hear()
                if heard.get("method") == "message.complete":
                    break
                self.assertEqual(heard["id"], advance)
            self.assertEqual(heard["params"]["payload"], {"calls": ["again"] * 3})
            peer.end()

    def test_lines_that_are_none_cost_themselves_only(self):
        peer = self.peer()
        peer.write('half a line {"\n[]\n[{"jsonrpc":"2.0","id":1,"method":"health"}]\n{"a":1,\n"b":2}\n\n"text"\n')
        peer.write('{"jsonrpc":"2.0","id":[],"method":"health"}\n{"jsonrpc":"2.0","id":"p99","result":{}}\n')
        peer.write('{"jsonrpc":"2.0","method":"cancel","params":{"id":[1]}}\n{"jsonrpc":"2.0","method":"future","params":[1]}\n')
        peer.write('{"jsonrpc":"2.0","id":7.5,"method":"message","params":{"message":7}}\n')
        peer.write('{"jsonrpc":"2.0","id":"m","method":"message","params":{"message":{"source":["x"]}}}\n')
        peer.write("x" * (3 << 20) + "\n")
        peer.write('{"jsonrpc":"2.0","id":"h","method":"health"}\n')
        answers = []
        while not answers or answers[-1].get("id") != "h":
            answers.append(peer.hear())
        self.assertTrue(all("error" in answer for answer in answers[:-1]))
        self.assertEqual(answers[-1]["result"]["status"], "degraded")
        self.assertEqual(peer.ask("no.such.method"), {"code": -32601, "message": "unknown method no.such.method"})
        self.assertIn("skipped a line of more than", peer.end()[1])

    def test_observers_hear_of_what_was_dropped(self):
        peer = self.peer()
        peer.say(method="event", params={"type": "message", "dropped": 2, "message": {"type": "A", "payload": "{}"}})
        self.assertEqual(peer.hear()["params"], {"level": "info", "message": "A", "fields": {"dropped": 2}})
        peer.say(method="event", params={"type": "session.ended", "device": "hall"})
        call = peer.hear()
        self.assertEqual(call["params"], {"event": "seen.session.ended", "data": {}})
        peer.say(id=call["id"], result={})
        peer.end()

    def test_time_is_the_tests(self):
        peer = self.peer(begin=False)
        result = peer.begin(features=["test.clock"], now=1_000_000)
        self.assertEqual(result["features"], ["defer", "test.clock"])
        later = peer.message({"type": "LATER"})
        self.assertEqual(peer.hear(), {"jsonrpc": "2.0", "id": later, "result": {"disposition": "defer", "maxMs": 10000}})
        sleeping = peer.message({"type": "SLEEP"}, flow="sender-2")
        self.assertEqual(peer.ask("clock.advance", now=1_001_000), {"now": 1_001_000})
        advance = peer.request("clock.advance", now=1_006_000)
        answer = peer.hear()
        self.assertEqual((answer["id"], answer["result"]["payload"]), (sleeping, {"now": 1002}))
        self.assertEqual(peer.hear(), {"jsonrpc": "2.0", "id": advance, "result": {"now": 1_002_000}})
        advance = peer.request("clock.advance", now=1_006_000)
        self.assertEqual(peer.hear()["params"], {
            "messageId": "m-%d" % later, "disposition": "reply", "payload": {"type": "NOW"}})
        self.assertEqual(peer.hear(), {"jsonrpc": "2.0", "id": advance, "result": {"now": 1_006_000}})
        peer.end()

    def test_a_verdict_may_be_quicker_than_its_deferral(self):
        peer = self.peer()
        id = peer.message({"type": "QUICKER"})
        self.assertEqual(peer.hear()["result"], {"disposition": "defer"})
        self.assertEqual(peer.hear()["params"], {"messageId": "m-%d" % id, "disposition": "drop", "reason": "early"})
        peer.end()

    def test_what_is_cancelled_is_not_answered(self):
        peer = self.peer()
        asking, behind = peer.message({"type": "ASK"}), peer.message({"type": "A"})
        call = peer.hear()
        for id in (asking, behind):
            peer.say(method="cancel", params={"id": id, "messageId": "m-%d" % id, "reason": "deadline"})
        peer.say(id=call["id"], result={})
        last = peer.message("last")
        self.assertEqual(peer.hear()["id"], last)
        peer.end()

    def test_drain_waits_for_what_is_under_way(self):
        peer = self.peer()
        asking = peer.message({"type": "ASK"})
        call = peer.hear()
        drain = peer.request("drain", deadlineMs=10_000)
        health = peer.request("health")
        self.assertEqual(peer.hear()["id"], health)
        late = peer.message("late", flow="sender-2")
        answer = peer.hear()
        self.assertEqual((answer["id"], answer["error"]["code"]), (late, -32002))
        peer.say(id=call["id"], result={})
        self.assertEqual([peer.hear()["id"] for _ in range(2)], [asking, drain])
        self.assertEqual(peer.ask("shutdown"), {})
        self.assertIsNone(peer.hear())
        self.assertEqual(peer.end()[0], 0)

    def test_it_ends_with_the_gateway(self):
        peer = self.peer()
        peer.message({"type": "HOLD"})
        peer.message({"type": "ASK"}, flow="sender-2")
        peer.hear()
        peer.ours.shutdown(socket.SHUT_WR)
        self.assertEqual(peer.process.wait(20), 0)
        peer.end()

    def test_a_plugin_may_leave(self):
        peer = self.peer()
        peer.message({"type": "LEAVE"})
        self.assertEqual(peer.process.wait(20), 3)
        peer.end()

    def test_it_connects_to_a_socket(self):
        peer = self.peer(connect=True)
        peer.message("over the socket")
        self.assertEqual(peer.hear()["result"]["payload"], "over the socket")
        status = peer.end()
        self.assertEqual(status[0], 0)


if __name__ == "__main__":
    unittest.main()
