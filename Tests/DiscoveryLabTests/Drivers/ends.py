"""The two ends of a splice, as far as a gateway sees them: TLS and datagrams. One JSON line for each thing that happens.

    ends.py device FOLDER PORT UDP-PORT          serves TLS with a certificate of its own, and gives every datagram back
    ends.py sender HOST PORT UDP-PORT            mirrors, connects, prints the certificate, mirrors, and hangs up
    ends.py mirror HOST UDP-PORT                 mirrors without a channel
    ends.py handed COMMAND...                    opens the socket for mirroring, gives up every right, and becomes the command
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import ssl
import subprocess
import sys
import threading

IP_TRANSPARENT = 19


def say(**what) -> None:
    print(json.dumps(what), flush=True)


def device(folder: str, port: int, udp: int) -> None:
    key, chain = f"{folder}/device-{port}.key", f"{folder}/device-{port}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=device", "-keyout", key, "-out", chain], check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("0.0.0.0", udp))

    def give_back() -> None:
        while True:
            data, peer = datagrams.recvfrom(4096)
            datagrams.sendto(b"back " + data, peer)

    def serve(connection: socket.socket) -> None:
        try:
            with context.wrap_socket(connection, server_side=True) as channel:
                while data := channel.recv(4096):
                    channel.sendall(data)
        except OSError:
            pass

    threading.Thread(target=give_back, daemon=True).start()
    listener = socket.create_server(("0.0.0.0", port))
    say(certificate=hashlib.sha256(ssl.PEM_cert_to_DER_cert(open(chain).read())).hexdigest())
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


def mirror(host: str, port: int) -> int:
    """Sends ten datagrams to a port, as a sender does; how many came back from exactly there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stream:
        stream.connect((host, port))
        stream.settimeout(2)
        count = 0
        for number in range(10):
            try:
                stream.send(b"%d" % number)
                count += stream.recv(4096) == b"back %d" % number
            except OSError:
                break
        return count


def sender(host: str, port: int, udp: int) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    say(before=mirror(host, udp))
    try:
        with context.wrap_socket(socket.create_connection((host, port), 10)) as channel:
            channel.sendall(b"hello")
            echo = channel.recv(5)
            say(certificate=hashlib.sha256(channel.getpeercert(True)).hexdigest(), echo=echo.decode())
            say(during=mirror(host, udp))
    except OSError as error:
        say(refused=str(error))
        return


def handed(command: list[str]) -> None:
    gate = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gate.setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1)
    gate.bind(("127.0.0.1", 8024))
    if gate.fileno() != 3:
        os.dup2(gate.fileno(), 3)
    os.set_inheritable(3, True)
    environment = dict(
        os.environ, LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="castway-mirroring")
    os.execvpe("setpriv", ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all", *command], environment)


if __name__ == "__main__":
    if sys.argv[1] == "device":
        device(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1] == "sender":
        sender(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1] == "mirror":
        say(count=mirror(sys.argv[2], int(sys.argv[3])))
    else:
        handed(sys.argv[2:])
