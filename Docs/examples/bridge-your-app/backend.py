#!/usr/bin/env python3
"""The back end of a Cast app: a chat, and a question that it answers. Python's standard library is all that it needs."""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.request
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

GATEWAY = "http://127.0.0.1:8300"
CHAT = "urn:x-cast:com.example.chat"
ASK = "urn:x-cast:com.example.ask"
KEYS = [base64.b64decode(secret.removeprefix("whsec_")) for secret in os.environ["WEBHOOK_SECRET"].split()]

# Ids of what is done. A back end that keeps its results in a database keeps these in the same transaction.
done: OrderedDict[str, None] = OrderedDict()
one_at_a_time = Lock()


def is_signed(headers, body):
    """Standard Webhooks: HMAC-SHA256 of id, time and body; not older, and not newer, than five minutes."""
    stamp = headers.get("webhook-timestamp", "")
    if not (stamp.isascii() and stamp.isdigit() and abs(time.time() - int(stamp)) <= 300):
        return False
    signed = f"{headers.get('webhook-id', '')}.{stamp}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in KEYS]
    given = headers.get("webhook-signature", "").encode().split()
    # Compared in constant time, so that a guess does not learn how much of it is right.
    return any([hmac.compare_digest(one, other) for one in expected for other in given])


def send(where, message):
    """Sends a message through the gateway: to `messages` for the app, to `broadcasts` for all its senders."""
    request = urllib.request.Request(
        f"{GATEWAY}/api/v1/devices/hall/{where}", json.dumps(message).encode(), {"content-type": "application/json"}
    )
    try:
        urllib.request.urlopen(request, timeout=5).close()
    except urllib.error.HTTPError as refusal:
        if refusal.code != 409:
            raise
        print("the app does not run", flush=True)  # so there are no senders to tell


def handle(event):
    """Does what a message wants. What it gives is the reply to the sender, where the channel says `reply`."""
    if event["type"] != "channel.message":
        print(event["type"], flush=True)  # a test of the operator's, or an event that the webhook asks for by `events`
        return None
    message = event["data"]
    said = message.get("json")
    if message["namespace"] == ASK:
        print("asked", json.dumps(said), flush=True)
        return {"answer": 42, "you_asked": said}
    print("chat", json.dumps(said), flush=True)
    send("broadcasts", {"namespace": CHAT, "json": {"said": said["text"]}})
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not is_signed(self.headers, body):
            return self.answer(401)
        id = self.headers["webhook-id"]
        with one_at_a_time:
            if id in done:
                return self.answer(200)
            try:
                reply = handle(json.loads(body))
            except OSError as problem:
                print("later:", problem, flush=True)
                return self.answer(503)  # the gateway does not answer, or refuses: to be sent again
            done[id] = None
            if len(done) > 100_000:
                done.popitem(last=False)
        self.answer(200, b"" if reply is None else json.dumps(reply).encode())

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", 8080), Handler).serve_forever()
