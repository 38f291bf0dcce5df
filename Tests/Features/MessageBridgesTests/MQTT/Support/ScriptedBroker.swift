import CastWire
import Testing

/// A broker that answers as a test says, byte by byte.
final class ScriptedBroker: Sendable {
    private static let script = """
        import json, socket, sys, threading
        listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen(8)
        def out(**what):
            sys.stdout.write(json.dumps(what) + "\\n"); sys.stdout.flush()
        out(port=listener.getsockname()[1])
        current = []
        def exactly(c, n):
            data = b""
            while len(data) < n:
                more = c.recv(n - len(data))
                if not more: raise EOFError
                data += more
            return data
        def read(c):
            try:
                while True:
                    head = exactly(c, 1); length = 0; shift = 0; raw = b""
                    while True:
                        b = exactly(c, 1); raw += b; length |= (b[0] & 127) << shift; shift += 7
                        if not b[0] & 128: break
                    out(packet=(head + raw + exactly(c, length)).hex())
            except (EOFError, OSError): out(closed=True)
        def accept():
            while True:
                c, _ = listener.accept(); current.append(c); out(accepted=True)
                threading.Thread(target=read, args=(c,), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        for line in sys.stdin:
            command = json.loads(line)
            if "send" in command: current[-1].sendall(bytes.fromhex(command["send"]))
            if "hang_up" in command: current[-1].shutdown(socket.SHUT_RDWR)
        """

    let port: Int
    private let process: PythonProcess

    init() async throws {
        self.process = try PythonProcess(Self.script, [])
        self.port = try #require(await self.process.next()?.int("port"))
    }

    /// The next packet, in hexadecimal digits.
    func packet() async throws -> String {
        while let object = await self.process.next() {
            if let packet = object.string("packet") { return packet }
        }
        throw CancellationError()
    }

    /// Waits until the gateway has hung up.
    func closed() async throws {
        while let object = await self.process.next() {
            if object.bool("closed") == true { return }
        }
        throw CancellationError()
    }

    /// Sends bytes in hexadecimal digits.
    func send(_ bytes: String) { self.process.send(["send": .string(bytes)]) }

    /// Closes the connection.
    func hangUp() { self.process.send(["hang_up": true]) }
}
