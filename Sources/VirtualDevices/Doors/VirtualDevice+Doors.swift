import CastWire
import GatewayCore
import NIOCore

/// Senders without a socket: how they come to be, what they send, and when they go.
extension VirtualDevice {
    private static let idleCheck = TimeAmount.minutes(1)
    private static let maximumNameLength = 128

    /// What comes in at a door, and waits for its answer if it is to.
    func receive(_ letter: DoorLetter, wait: TimeAmount?, promise: DoorRequests.Promise) {
        do throws(GatewayError) {
            let local = try self.local(of: letter.address, in: letter.namespace)
            let door = try self.door(for: letter.origin)
            try self.connect(door, to: local)
            try self.route(letter, from: door, to: local, wait: wait, promise: promise)
        } catch {
            promise.fail(error)
        }
        self.flush()
    }

    /// Says something to all senders that are connected to an app or the platform.
    func announce(_ letter: DoorLetter) throws(GatewayError) {
        let local = try self.local(of: letter.address, in: letter.namespace)
        _ = try self.door(for: letter.origin)
        let message = CastMessage(
            source: local, destination: .broadcast, namespace: letter.namespace, payload: letter.payload)
        try Self.checkLength(message)
        self.router.route(
            RoutedMessage(
                message, direction: .toSender, device: self.facts, connection: nil, origin: letter.origin))
        self.flush()
    }

    /// Begins to hear what a sender without a socket is told.
    /// - Returns: what ends it.
    func listen(
        to address: DoorAddress, as origin: MessageOrigin, _ input: DoorInboxInput
    ) throws(GatewayError) -> (ConnectionID, Int) {
        let local = try address.session.map { _ throws(GatewayError) in try self.transport(of: address) }
        let door = try self.door(for: origin)
        if let local {
            try self.connect(door, to: local)
        } else {
            try self.connect(door, to: .platformReceiver)
            if let app = self.target.sessions.first?.transportID { try self.connect(door, to: app) }
        }
        defer { self.flush() }
        return (door.id, try door.listen(to: local, input))
    }

    func stopListening(_ id: ConnectionID, _ inbox: Int) {
        self.doors[id]?.stopListening(inbox, at: self.eventLoop.now)
    }

    /// How things stand here.
    var snapshot: (device: GatewaySnapshot.Device, sessions: [GatewaySnapshot.Session]) {
        let name = self.facts.name
        let friendlyName = (self.facts.description as? VirtualDeviceDescription)?.configuration.friendlyName
        return (
            GatewaySnapshot.Device(
                name: name, friendlyName: friendlyName ?? name, target: self.facts.target, senders: self.senderCount),
            self.target.sessions.map {
                GatewaySnapshot.Session(device: name, app: $0, media: self.target.media(at: $0.transportID))
            }
        )
    }

    // MARK: Speaking

    private func route(
        _ letter: DoorLetter, from door: DoorSender, to local: EndpointID, wait: TimeAmount?,
        promise: DoorRequests.Promise
    ) throws(GatewayError) {
        var message = CastMessage(
            source: door.end, destination: local, namespace: letter.namespace, payload: letter.payload)
        var number: Int?
        if wait != nil { (message.payload, number) = try door.number(letter.payload, in: letter.namespace) }
        try Self.checkLength(message)
        if let wait, let number {
            let bound = NIOLoopBound((device: WeakDevice(device: self), promise: promise), eventLoop: self.eventLoop)
            let timeout = self.eventLoop.scheduleTask(in: wait) { [id = door.id] in
                bound.value.device.device?.doors[id]?.stopWaiting(for: number)
                bound.value.promise.fail(GatewayError(.init(.timeout), "no answer came in time"))
            }
            door.wait(for: number, in: letter.namespace, from: local, promise: promise, timeout: timeout)
            // Whoever does not want the answer any more makes room.
            promise.futureResult.whenComplete { [id = door.id] _ in
                bound.value.device.device?.doors[id]?.stopWaiting(for: number)
            }
        }
        self.router.route(
            RoutedMessage(
                message, direction: .toReceiver, device: self.facts, connection: door.id, origin: letter.origin))
        if wait == nil { promise.succeed(nil) }
    }

    private static func checkLength(_ message: CastMessage) throws(GatewayError) {
        let length = message.serializedLength
        guard length <= CastMessage.maximumBodyLength else {
            throw GatewayError(
                .init(.messageTooBig), "\(length) bytes are more than the \(CastMessage.maximumBodyLength) of a message"
            )
        }
    }

    /// The end that an address means.
    private func local(of address: DoorAddress, in namespace: Namespace) throws(GatewayError) -> EndpointID {
        guard !namespace.isTransport else {
            throw GatewayError(.reservedNamespace, "'\(namespace)' is the gateway's own")
        }
        let isPlatform = [Namespace.receiver, .discovery, .setup, .multizone].contains(namespace)
        guard !isPlatform || address.session != nil else { return .platformReceiver }
        let transport = try self.transport(of: address)
        return isPlatform ? .platformReceiver : transport
    }

    private func transport(of address: DoorAddress) throws(GatewayError) -> EndpointID {
        let sessions = self.target.sessions
        guard let id = address.session else {
            guard let session = sessions.first else {
                throw GatewayError(.unknownSession, "no app runs on '\(address.device)'")
            }
            return session.transportID
        }
        guard let session = sessions.first(where: { $0.sessionID == id }) else {
            throw GatewayError(.unknownSession, "there is no session '\(id)' on '\(address.device)'")
        }
        return session.transportID
    }

    /// The sender of a speaker, who may speak now.
    private func door(for origin: MessageOrigin) throws(GatewayError) -> DoorSender {
        guard self.stopReason == nil else { throw GatewayError(.unavailable, "the virtual device stops") }
        guard origin.hops <= MessageOrigin.maximumHops else {
            self.router.countLoop()
            throw GatewayError(
                .messageLoop, "'\(origin.name)' answers what follows from \(MessageOrigin.maximumHops) other messages")
        }
        guard !origin.name.isEmpty, origin.name.utf8.count <= Self.maximumNameLength else {
            throw GatewayError(.init(.invalidRequest), "a speaker's name has 1 to \(Self.maximumNameLength) bytes")
        }
        let now = self.eventLoop.now
        if let door = self.doors[DoorSender.end(of: origin)] {
            try door.speak(as: origin, at: now)
            return door
        }
        guard !self.doors.isFull else { throw GatewayError(.unavailable, "too many speak to '\(self.facts.name)'") }
        let door = DoorSender(
            id: self.connectionIDs.next(), origin: origin, messagesPerSecond: self.messagesPerSecond, at: now)
        if self.doors.isEmpty { self.checkForIdleDoorsLater() }
        self.doors.insert(door)
        try door.speak(as: origin, at: now)
        return door
    }

    /// Opens the virtual connection, unless it is open.
    private func connect(_ door: DoorSender, to local: EndpointID) throws(GatewayError) {
        let pair = VirtualConnection(local: local, peer: door.end)
        guard !door.virtualConnections.contains(pair) else { return }
        let connect = CastMessage(
            source: door.end, destination: local, namespace: .connection,
            payload: ConnectionPayload.connect(userAgent: "Castway", type: .weak).payload)
        guard self.target.accepts(local), door.open(pair, connect: connect) else {
            throw GatewayError(.unknownSession, "'\(self.facts.name)' takes no connection to \(local)")
        }
        self.target.connect(connect, from: door.id)
        guard door.virtualConnections.contains(pair) else {
            throw GatewayError(.unknownSession, "'\(self.facts.name)' closed the connection to \(local)")
        }
    }

    // MARK: Going

    private struct WeakDevice {
        weak var device: VirtualDevice?
    }

    private func checkForIdleDoorsLater() {
        let device = NIOLoopBound(WeakDevice(device: self), eventLoop: self.eventLoop)
        self.eventLoop.scheduleTask(in: Self.idleCheck) { device.value.device?.removeIdleDoors() }
    }

    private func removeIdleDoors() {
        let now = self.eventLoop.now
        for door in self.doors.all where door.isIdle(at: now) {
            self.doors.remove(door)
            self.router.connectionClosed(door.id)
            self.target.connectionLost(door.id)
            door.end("it was not used any more")
        }
        self.flush()
        if !self.doors.isEmpty { self.checkForIdleDoorsLater() }
    }
}
