import MediaRelay
import Passthrough

/// The socket to which rules of the system bring what senders of devices that are passed through mirror.
///
/// It takes a right to make it, which the gateway's unit has not: `castway-mirroring.socket` makes it and hands it over. A gateway that
/// has the right makes it itself.
enum MirroringSocket {
    /// What `castway-mirroring.socket` calls it (`FileDescriptorName=`).
    static let name = "castway-mirroring"

    /// Takes it, or makes it.
    /// - Throws: `MediaRelayError` when it can neither be had nor made, or is another one.
    static func open(passed: PassedSockets = .ofProcess) throws(MediaRelayError) -> MediaSocket {
        if let descriptor = passed.take(Self.name) {
            let socket = try MediaSocket.transparent(adopting: descriptor)
            guard Int(socket.local.port) == MirroringRules.port else {
                throw .unfit("it is at \(socket.local), and the rules bring to port \(MirroringRules.port)")
            }
            return socket
        }
        guard let address = MediaEndpoint(host: "127.0.0.1", port: MirroringRules.port) else {
            throw .unfit("port \(MirroringRules.port)")
        }
        return try MediaSocket.transparent(at: address)
    }
}
