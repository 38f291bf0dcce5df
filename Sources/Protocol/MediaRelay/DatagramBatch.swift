import CDatagrams
import Glibc

/// Room for the datagrams that one system call takes and one sends on. Made once for a thread, so no datagram allocates.
///
/// The content is handed from the kernel to the kernel and is never looked at here; what is read of a datagram is the length and
/// the source that the kernel wrote.
struct DatagramBatch: ~Copyable {
    /// The number of datagrams one call takes.
    static let capacity = 32
    /// A longer datagram is no part of a stream: senders stay below what Ethernet carries at once, 1,500 bytes.
    static let maximumLength = 2048

    /// Room for what the kernel says of one datagram: the address that it was sent to, and some to spare.
    private static let noteLength = 64

    private let content: UnsafeMutablePointer<UInt8>
    private let sources: UnsafeMutablePointer<sockaddr_storage>
    private let notes: UnsafeMutableRawPointer
    private let received: UnsafeMutablePointer<castway_datagram>
    private let places: UnsafeMutablePointer<castway_piece>
    private let sent: UnsafeMutablePointer<castway_datagram>
    private let parts: UnsafeMutablePointer<castway_piece>
    private let destination: UnsafeMutablePointer<sockaddr_storage>
    /// The number of datagrams there are now.
    private(set) var count = 0
    /// The number of them that go on.
    private(set) var going = 0
    /// The content of those, in bytes.
    private(set) var goingBytes = 0

    init() {
        let capacity = Self.capacity
        self.content = .allocate(capacity: capacity * Self.maximumLength)
        self.content.initialize(repeating: 0, count: capacity * Self.maximumLength)
        self.sources = .allocate(capacity: capacity)
        self.sources.initialize(repeating: sockaddr_storage(), count: capacity)
        self.notes = .allocate(byteCount: capacity * Self.noteLength, alignment: 16)
        self.received = .allocate(capacity: capacity)
        self.received.initialize(repeating: castway_datagram(), count: capacity)
        self.places = .allocate(capacity: capacity)
        self.places.initialize(repeating: castway_piece(), count: capacity)
        self.sent = .allocate(capacity: capacity)
        self.sent.initialize(repeating: castway_datagram(), count: capacity)
        self.parts = .allocate(capacity: capacity)
        self.parts.initialize(repeating: castway_piece(), count: capacity)
        self.destination = .allocate(capacity: 1)
        self.destination.initialize(to: sockaddr_storage())
        for index in 0..<capacity {
            self.places[index] = castway_piece(
                base: self.content + index * Self.maximumLength, length: Self.maximumLength)
            self.received[index].header.pieces = self.places + index
            self.received[index].header.piece_count = 1
            self.received[index].header.name = UnsafeMutableRawPointer(self.sources + index)
            self.received[index].header.name_length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            self.received[index].header.control = self.notes + index * Self.noteLength
            self.received[index].header.control_length = Self.noteLength
            self.sent[index].header.pieces = self.parts + index
            self.sent[index].header.piece_count = 1
        }
    }

    deinit {
        self.content.deallocate()
        self.sources.deallocate()
        self.notes.deallocate()
        self.received.deallocate()
        self.places.deallocate()
        self.sent.deallocate()
        self.parts.deallocate()
        self.destination.deallocate()
    }

    /// Takes the datagrams that wait at a socket.
    /// - Returns: false when there is nothing, or the socket told of an error instead; that is told once.
    mutating func receive(from socket: MediaSocket) -> Bool {
        // The kernel has written the lengths of the sources and of its notes over.
        for index in 0..<self.count {
            self.received[index].header.name_length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            self.received[index].header.control_length = Self.noteLength
        }
        (self.going, self.goingBytes) = (0, 0)
        self.count = max(
            0, min(Self.capacity, Int(castway_receive(socket.descriptor, self.received, UInt32(Self.capacity)))))
        return self.count > 0
    }

    /// The length of a datagram, as far as there was room for it.
    func length(of index: Int) -> Int { min(Int(self.received[index].length), Self.maximumLength) }

    /// True if it was longer than its room.
    func isCut(_ index: Int) -> Bool { castway_is_cut(self.received + index) != 0 }

    /// The source; nil for what is no IP address.
    func source(of index: Int) -> MediaEndpoint? {
        guard self.received[index].header.name_length >= socklen_t(MemoryLayout<sockaddr_in>.size) else { return nil }
        return (self.sources + index).withMemoryRebound(to: sockaddr.self, capacity: 1) { MediaEndpoint($0) }
    }

    /// The first destination; nil unless the socket is one that is told of that.
    func firstDestination(of index: Int) -> MediaEndpoint? {
        var storage = sockaddr_storage()
        let room = UInt32(MemoryLayout<sockaddr_storage>.size)
        let datagram = self.received + index
        let length = withUnsafeMutablePointer(to: &storage) { castway_first_destination(datagram, $0, room) }
        guard length >= UInt32(MemoryLayout<sockaddr_in>.size) else { return nil }
        return withUnsafePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { MediaEndpoint($0) }
        }
    }

    /// Has only this datagram go on with the next ``send(through:to:)``.
    mutating func passAlone(_ index: Int) {
        (self.going, self.goingBytes) = (0, 0)
        self.pass(index)
    }

    /// Has a datagram go on with the next ``send(through:to:)``.
    mutating func pass(_ index: Int) {
        let length = self.length(of: index)
        self.parts[self.going] = castway_piece(base: self.places[index].base, length: length)
        self.going += 1
        self.goingBytes += length
    }

    /// Sends on what was passed. A datagram that the network or the system refuses is lost, the others go.
    /// - Parameter peer: where to; nil for a socket that is connected.
    /// - Returns: what was lost.
    mutating func send(through socket: MediaSocket, to peer: MediaEndpoint?) -> SendLosses {
        let length = peer.map { $0.write(to: &self.destination.pointee) } ?? 0
        let name = peer == nil ? nil : UnsafeMutableRawPointer(self.destination)
        for index in 0..<self.going {
            self.sent[index].header.name = name
            self.sent[index].header.name_length = length
        }
        var losses = SendLosses()
        var next = 0
        /// The datagram that is tried for the second time.
        var repeated: Int?
        while next < self.going {
            let count = Int(castway_send(socket.descriptor, self.sent + next, UInt32(self.going - next)))
            if count > 0 {
                next += count
                continue
            }
            switch errno {
            case EAGAIN, ENOBUFS, ENOMEM:
                losses.full += self.going - next
                for index in next..<self.going { losses.bytes += self.parts[index].length }
                return losses
            case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ENOPROTOOPT, EINTR:
                // A connected socket tells of an earlier datagram in this way, and has not sent this one.
                if repeated != next {
                    repeated = next
                    continue
                }
                losses.unreachable += 1
            case EMSGSIZE: losses.tooLarge += 1
            default: losses.failed += 1
            }
            losses.bytes += self.parts[next].length
            next += 1
        }
        return losses
    }
}
