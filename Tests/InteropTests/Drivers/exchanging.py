#!/usr/bin/env python3
"""Two devices exchange their addresses again and again, as after a router has restarted, while commands run: none reaches the other.

Each round both devices go and come back at the other one's address, with no announcement that says so; commands for both are sent all the
time, by the API and by a sender of a virtual device. Right is that each device hears nothing but questions from the channels that
mean the other one, and that commands reach the right one again when it is back at its own address.

    exchanging.py --binary .build/debug/castway --count 100
"""

import argparse, http.client, itertools, json, os, shutil, socket, ssl, struct, subprocess, sys, tempfile, threading, time

CONNECTION, HEARTBEAT = "urn:x-cast:com.google.cast.tp.connection", "urn:x-cast:com.google.cast.tp.heartbeat"
RECEIVER, DISCOVERY = "urn:x-cast:com.google.cast.receiver", "urn:x-cast:com.google.cast.receiver.discovery"
QUESTIONS = {"CONNECT", "CLOSE", "GET_DEVICE_INFO", "GET_STATUS", "PING", "PONG"}


def number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def frame(source: str, destination: str, namespace: str, body: dict) -> bytes:
    message = b"\x08\x00"
    for field, text in ((2, source), (3, destination), (4, namespace)):
        message += number(field << 3 | 2) + number(len(text)) + text.encode()
    text = json.dumps(body).encode()
    message += b"\x28\x00" + number(6 << 3 | 2) + number(len(text)) + text
    return struct.pack(">I", len(message)) + message


def fields(data: bytes) -> dict[int, str]:
    at, found = 0, {}

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 2:
            size = varint()
            found[key >> 3] = data[at : at + size].decode(errors="replace")
            at += size
        else:
            varint()
    return found


class Device:
    """A device that says which one it is, and keeps its volume."""

    def __init__(self, name: str, identity: str, context: ssl.SSLContext) -> None:
        self.name, self.identity, self.context, self.level = name, identity, context, 0.5
        self.heard: list[dict] = []
        self.sockets: list[socket.socket] = []
        self.listener: socket.socket | None = None
        self.change = threading.Condition()
        # How often it has come; what an earlier channel still brings does not count.
        self.turn = 0

    def come(self, host: str, port: int) -> None:
        listener = socket.create_server((host, port))
        self.listener = listener
        with self.change:
            self.turn += 1
            self.heard = []
        threading.Thread(target=self.accept, args=(listener, self.turn), daemon=True).start()

    def go(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for one in self.sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.sockets = []

    def accept(self, listener: socket.socket, turn: int) -> None:
        while True:
            try:
                raw, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(raw, turn), daemon=True).start()

    def serve(self, raw: socket.socket, turn: int) -> None:
        try:
            with self.context.wrap_socket(raw, server_side=True) as channel:
                self.sockets.append(channel)
                data = b""
                while part := channel.recv(65536):
                    data += part
                    while len(data) >= 4 and len(data) >= 4 + struct.unpack(">I", data[:4])[0]:
                        length = struct.unpack(">I", data[:4])[0]
                        message, data = fields(data[4 : 4 + length]), data[4 + length :]
                        if turn != self.turn:
                            return
                        self.take(channel, message)
        except (OSError, ValueError):
            pass

    def take(self, channel: ssl.SSLSocket, message: dict[int, str]) -> None:
        source, destination, namespace = message[2], message[3], message[4]
        body = json.loads(message.get(6) or "{}")
        kind, request = body.get("type"), body.get("requestId", 0)
        with self.change:
            self.heard.append(body)
            if kind == "SET_VOLUME":
                self.level = body["volume"].get("level", self.level)
            self.change.notify_all()

        def answer(answered: dict) -> None:
            channel.sendall(frame(destination, source, namespace, {"requestId": request, **answered}))

        if kind == "PING":
            channel.sendall(frame(destination, source, HEARTBEAT, {"type": "PONG"}))
        elif kind == "GET_DEVICE_INFO":
            answer({"type": "DEVICE_INFO", "deviceId": self.identity, "friendlyName": self.name, "deviceCapabilities": 4101})
        elif namespace == RECEIVER and kind in ("GET_STATUS", "SET_VOLUME", "STOP", "LAUNCH"):
            volume = {"level": self.level, "muted": False, "controlType": "attenuation", "stepInterval": 0.01}
            answer({"type": "RECEIVER_STATUS", "status": {"volume": volume}})

    def wait(self, condition, seconds: float) -> bool:
        with self.change:
            return self.change.wait_for(condition, seconds)


class API:
    """The gateway's operations, by its admin socket."""

    def __init__(self, path: str) -> None:
        self.path = path

    def set_volume(self, device: str, level: float) -> int:
        connection = http.client.HTTPConnection("localhost", timeout=15)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(15)
        connection.sock.connect(self.path)
        connection.request(
            "PUT", f"/api/v1/devices/real:{device}/volume", json.dumps({"level": level}), {"Content-Type": "application/json"}
        )
        status = connection.getresponse().status
        connection.close()
        return status


def certificate(folder: str) -> ssl.SSLContext:
    key, leaf = os.path.join(folder, "key.pem"), os.path.join(folder, "leaf.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=device", "-keyout", key, "-out", leaf], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(leaf, key)
    return context


def sender(port: int, level: float, ends: threading.Event) -> None:
    """A sender of the kitchen's virtual device that sets its volume all the time."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for request in itertools.count(1):
        if ends.is_set():
            return
        try:
            with context.wrap_socket(socket.create_connection(("127.0.0.1", port), 5)) as channel:
                channel.sendall(frame("sender-x", "receiver-0", CONNECTION, {"type": "CONNECT"}))
                for _ in range(20):
                    body = {"type": "SET_VOLUME", "volume": {"level": level}, "requestId": request}
                    channel.sendall(frame("sender-x", "receiver-0", RECEIVER, body))
                    if ends.wait(0.02):
                        return
        except OSError:
            ends.wait(0.05)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default=".build/debug/castway")
    arguments.add_argument("--count", type=int, default=100, help="how often the devices exchange their addresses (default: 100)")
    given = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="castway-exchanging")
    context = certificate(folder)
    kitchen, hall = Device("kitchen", "a" * 32, context), Device("hall", "b" * 32, context)
    places = [("127.0.0.2", free_port("127.0.0.2")), ("127.0.0.3", free_port("127.0.0.3"))]
    virtual = free_port("127.0.0.1")
    path = os.path.join(folder, "gateway.yaml")
    with open(path, "w") as file:
        file.write(f"""version: 1
gateway: {{id: exchanging, state_directory: ./state}}
discovery:
  mdns: {{enabled: false}}
  static:
    - {{name: kitchen, address: "{places[0][0]}:{places[0][1]}", id: {kitchen.identity}}}
    - {{name: hall, address: "{places[1][0]}:{places[1][1]}", id: {hall.identity}}}
connections: {{reconnect: {{initial: 50ms, max: 200ms}}}}
virtual_devices:
  - {{name: kitchen-virtual, listen: "127.0.0.1:{virtual}", target: {{device: kitchen}}, publish: false}}
""")
    kitchen.come(*places[0])
    hall.come(*places[1])
    log = open(os.path.join(folder, "log"), "w")
    environment = {**os.environ, "CASTWAY_RUN_DIRECTORY": folder}
    gateway = subprocess.Popen([given.binary, "run", "--config", path], cwd=folder, env=environment, stdout=log, stderr=log)
    ends, faults, reached = threading.Event(), [], 0
    try:
        api = API(os.path.join(folder, "state", "admin.sock"))
        ready(lambda: gateway.poll() is None and os.path.exists(api.path), 60)
        # Levels below a half are the kitchen's, those above the hall's.
        levels = {"kitchen": 0.2, "hall": 0.8}

        def command(device: str) -> None:
            while not ends.is_set():
                try:
                    api.set_volume(device, levels[device])
                except (OSError, http.client.HTTPException):
                    pass
                ends.wait(0.02)

        threads = [threading.Thread(target=command, args=(name,), daemon=True) for name in levels]
        threads.append(threading.Thread(target=sender, args=(virtual, 0.2, ends), daemon=True))
        for thread in threads:
            thread.start()

        def check(moment: str) -> None:
            for device, is_own in ((kitchen, lambda level: level < 0.5), (hall, lambda level: level > 0.5)):
                with device.change:
                    for body in device.heard:
                        level = (body.get("volume") or {}).get("level")
                        if level is not None and not is_own(level):
                            faults.append(f"{moment}: {device.name} was told {body}")
                    device.heard = []

        for turn in range(given.count):
            for device in (kitchen, hall):
                with device.change:
                    device.heard = [body for body in device.heard if "volume" in body]
                if not device.wait(lambda: any("volume" in body for body in device.heard), 30):
                    faults.append(f"round {turn}: no command reaches {device.name} at its own address")
            check(f"round {turn}, before")
            kitchen.go(), hall.go()
            kitchen.come(*places[1]), hall.come(*places[0])
            # Both are asked who they are.
            for device in (kitchen, hall):
                if not device.wait(lambda: any(body.get("type") == "GET_DEVICE_INFO" for body in device.heard), 30):
                    faults.append(f"round {turn}: {device.name} is not asked which one it is")
            time.sleep(0.1)
            for device in (kitchen, hall):
                with device.change:
                    said = {body.get("type") for body in device.heard} - QUESTIONS
                    if said:
                        faults.append(f"round {turn}: {device.name} at the other's address was told {sorted(map(str, said))}")
            check(f"round {turn}, exchanged")
            kitchen.go(), hall.go()
            kitchen.come(*places[0]), hall.come(*places[1])
            reached += 1
            if faults:
                break
    finally:
        ends.set()
        gateway.terminate()
        try:
            gateway.wait(20)
        except subprocess.TimeoutExpired:
            gateway.kill()
    for fault in faults[:10]:
        print(fault)
    if faults:
        print(open(os.path.join(folder, "log")).read()[-3000:])
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{reached} exchanges, {len(faults)} faults")
    sys.exit(1 if faults or reached != given.count else 0)


def free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def ready(condition, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit("the gateway did not start in time")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
