import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// The traffic of internal senders: finds the app that is meant, connects the sender to it, and routes.
extension VirtualDevice {
    /// Sends a message of an internal sender.
    /// - Parameters:
    ///   - timeout: how long to wait for the answer; nil for a message without one.
    ///   - promise: succeeds with the answer; without `timeout` with nil, as soon as the message is routed.
    func send(
        _ outgoing: InternalSender.Outgoing, timeout: TimeAmount?, promise: InternalSenderRequests.Promise
    ) {
        CommandTrace.following(outgoing.trace) {
            do throws(GatewayError) {
                let local = try self.local(of: outgoing.address, in: outgoing.namespace)
                try self.checkTaken(outgoing.namespace, by: local)
                let sender = try self.internalSenders.sender(for: outgoing.origin, on: self)
                try self.connect(sender, to: local)
                try self.route(outgoing, from: sender, to: local, timeout: timeout, promise: promise)
            } catch {
                promise.fail(error)
            }
            self.flush()
        }
    }

    /// Sends a message to all senders that are connected to an app or the platform.
    func broadcast(_ outgoing: InternalSender.Outgoing) throws(GatewayError) {
        let local = try self.local(of: outgoing.address, in: outgoing.namespace)
        try self.checkListed(outgoing.namespace, at: local)
        _ = try self.internalSenders.sender(for: outgoing.origin, on: self)
        let message = CastMessage(
            source: local, destination: .broadcast, namespace: outgoing.namespace, payload: outgoing.payload)
        try Self.checkLength(message)
        CommandTrace.following(outgoing.trace) {
            CommandTrace.current?.sent()
            self.router.route(
                RoutedMessage(
                    message, direction: .toSender, device: self.facts, connection: nil, origin: outgoing.origin))
            self.flush()
        }
    }

    /// Adds an inbox to an internal sender.
    /// - Returns: the sender's connection, and the number that removes the inbox.
    func listen(
        to address: AppAddress, as origin: MessageOrigin, _ input: SenderInbox.Input
    ) throws(GatewayError) -> (id: ConnectionID, inbox: Int) {
        let local = try address.session.map { _ throws(GatewayError) in try self.transport(of: address) }
        let sender = try self.internalSenders.sender(for: origin, on: self)
        if let local {
            try self.connect(sender, to: local)
        } else {
            try self.connect(sender, to: .platformReceiver)
            if let app = self.target.sessions.first?.transportID { try self.connect(sender, to: app) }
        }
        defer { self.flush() }
        return (sender.id, try sender.listen(to: local, input))
    }

    private func route(
        _ outgoing: InternalSender.Outgoing, from sender: InternalSender, to local: EndpointID, timeout: TimeAmount?,
        promise: InternalSenderRequests.Promise
    ) throws(GatewayError) {
        var message = CastMessage(
            source: sender.end, destination: local, namespace: outgoing.namespace, payload: outgoing.payload)
        var number: Int?
        if timeout != nil {
            (message.payload, number) = try sender.number(outgoing.payload, in: outgoing.namespace)
        }
        try Self.checkLength(message)
        // What a question is answered with does not come of the command.
        let trace = message.isCommand ? outgoing.trace : nil
        if let timeout, let number {
            let bound = NIOLoopBound((handle: self.handle, promise: promise), eventLoop: self.eventLoop)
            let timer = self.eventLoop.scheduleTask(in: timeout) { [id = sender.id] in
                bound.value.handle.device?.internalSenders[id]?.stopWaiting(for: number)
                bound.value.promise.fail(GatewayError(.init(.timeout), "no answer came in time"))
            }
            sender.wait(
                for: number, in: outgoing.namespace, from: local, promise: promise, timeout: timer, trace: trace)
            // A request that was cancelled makes room for another.
            promise.futureResult.whenComplete { [id = sender.id] _ in
                bound.value.handle.device?.internalSenders[id]?.stopWaiting(for: number)
            }
            if let name = outgoing.replacing {
                self.internalSenders.replace(.init(name: name, local: local), with: promise)
            }
        }
        trace?.sent()
        self.router.route(
            RoutedMessage(
                message, direction: .toReceiver, device: self.facts, connection: sender.id, origin: outgoing.origin))
        if timeout == nil { promise.succeed(nil) }
    }

    static func checkLength(_ message: CastMessage) throws(GatewayError) {
        let length = message.serializedLength
        guard length <= CastMessage.maximumBodyLength else {
            throw GatewayError(
                .init(.messageTooBig), "\(length) bytes are more than the \(CastMessage.maximumBodyLength) of a message"
            )
        }
    }

    /// Checks that an app lists a namespace, or that a handler may answer in it.
    /// - Returns: whether a handler may answer it.
    @discardableResult
    func checkListed(_ namespace: Namespace, at local: EndpointID) throws(GatewayError) -> Bool {
        guard namespace.family == .custom, local != .platformReceiver else { return true }
        let session = self.target.session(at: local)
        let names = MessageNames(source: .platformSender, destination: local, namespace: namespace)
        if self.router.answers(names, on: self.facts.name, for: session) { return true }
        guard session?.namespaces.contains(namespace) ?? false else {
            throw GatewayError(
                .unsupportedNamespace, "the app on '\(self.facts.name)' does not list '\(namespace)'")
        }
        return false
    }

    /// The same for a message to the app, which is not sent while too much waits for its device.
    private func checkTaken(_ namespace: Namespace, by local: EndpointID) throws(GatewayError) {
        guard try !self.checkListed(namespace, at: local), !self.target.isWritable else { return }
        throw GatewayError(.init(.sendBufferFull), "too much waits for the device behind '\(self.facts.name)'")
    }

    func local(of address: AppAddress, in namespace: Namespace) throws(GatewayError) -> EndpointID {
        guard namespace.isValid, !namespace.isTransport else {
            throw GatewayError(
                .reservedNamespace, namespace.isValid ? "'\(namespace)' is the gateway's own" : "that is no namespace")
        }
        let isPlatform = [Namespace.receiver, .discovery, .setup, .multizone].contains(namespace)
        guard !isPlatform || address.session != nil else { return .platformReceiver }
        let transport = try self.transport(of: address)
        return isPlatform ? .platformReceiver : transport
    }

    private func transport(of address: AppAddress) throws(GatewayError) -> EndpointID {
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

    /// Opens the virtual connection, unless it is open.
    private func connect(_ sender: InternalSender, to local: EndpointID) throws(GatewayError) {
        let pair = VirtualConnection(local: local, peer: sender.end)
        guard !sender.virtualConnections.contains(pair) else { return }
        let connect = CastMessage(
            source: sender.end, destination: local, namespace: .connection,
            payload: ConnectionPayload.connect(userAgent: "Castway", type: .weak).payload)
        guard self.target.accepts(local), sender.open(pair, connect: connect) else {
            throw GatewayError(.unknownSession, "'\(self.facts.name)' takes no connection to \(local)")
        }
        self.target.connect(connect, from: sender.id)
        guard sender.virtualConnections.contains(pair) else {
            throw GatewayError(.unknownSession, "'\(self.facts.name)' closed the connection to \(local)")
        }
    }
}
