import CastWire

/// What a sender knows of its channel: whether it stands, which virtual connections are open, who waits for what.
///
/// Holds no channel and no timer: its owner tells what happens and does what it is told.
struct SenderLinkState {
    /// Somebody who waits for an answer.
    struct Waiter {
        /// The number that the request carries; nil when only ``alsoTakes`` decides.
        let requestID: RequestID?
        /// Who answers.
        let endpoint: EndpointID
        /// Where the answer comes.
        let namespace: Namespace
        /// Whether a message that answers no request will do, for devices that do not keep to the numbers.
        let alsoTakes: @Sendable (CastMessage) -> Bool

        /// Whether a message with this number is about what the waiter asked for.
        func isAnswered(by message: CastMessage, to requestID: RequestID) -> Bool {
            self.requestID == requestID && self.endpoint == message.source && self.namespace == message.namespace
        }
    }

    /// What the owner does.
    enum Action: Equatable {
        /// Tells whoever waits for the channel.
        case becomeReady
        /// Ends a wait with an answer.
        case answer(waiter: Int, CastMessage)
        /// Ends a wait without one.
        case fail(waiter: Int, SenderError)
        /// Starts the time of a wait anew, and says so: the device asks its user. Comes once for a wait.
        case extend(waiter: Int)
        /// Hands a message that nobody waits for to whoever listens.
        case publish(CastMessage)
        /// Tells everybody that the channel is gone.
        case finish(SenderError)
    }

    private enum Phase {
        case connecting
        case open
        case closed(SenderError)
    }

    private var phase = Phase.connecting
    private var waiters: [(id: Int, waiter: Waiter, isExtended: Bool)] = []
    private var nextWaiter = 1
    /// The ends that this sender has a virtual connection to.
    private(set) var endpoints: Set<EndpointID> = []

    /// The channel stands.
    mutating func becameReady() -> [Action] {
        guard case .connecting = self.phase else { return [] }
        self.phase = .open
        return [.becomeReady]
    }

    /// A virtual connection is about to be opened.
    /// - Returns: false when there is one already.
    mutating func opened(_ endpoint: EndpointID) -> Bool {
        self.endpoints.insert(endpoint).inserted
    }

    /// Somebody waits.
    /// - Returns: the number of the wait.
    /// - Throws: why nothing can come any more.
    mutating func wait(_ waiter: Waiter) throws(SenderError) -> Int {
        if case .closed(let reason) = self.phase { throw reason }
        let id = self.nextWaiter
        self.nextWaiter += 1
        self.waiters.append((id: id, waiter: waiter, isExtended: false))
        return id
    }

    /// The time of a wait is over.
    /// - Returns: false when it ended before.
    mutating func gaveUp(_ waiter: Int) -> Bool {
        guard let index = self.waiters.firstIndex(where: { $0.id == waiter }) else { return false }
        self.waiters.remove(at: index)
        return true
    }

    /// A message came in.
    mutating func received(_ message: CastMessage) -> [Action] {
        guard case .open = self.phase else { return [] }
        if message.namespace == .connection { return self.receivedConnection(message) }
        let requestID = PayloadSummary(peeking: message.payload).requestID.flatMap { $0 == .spontaneous ? nil : $0 }
        if message.namespace == .receiver, let launch = LaunchStatus(message.payload), launch.type == LaunchStatus.type
        {
            let named = launch.launchRequestID.flatMap { $0 == .spontaneous ? nil : $0 }
            if let id = named ?? requestID { return self.receivedConsent(launch.state, of: id, message) }
        } else if let requestID {
            let answered = self.takeWaiters { $0.isAnswered(by: message, to: requestID) }
            if !answered.isEmpty { return answered.map { .answer(waiter: $0, message) } }
        }
        let taken = self.takeWaiters { waiter in
            waiter.endpoint == message.source && waiter.namespace == message.namespace && waiter.alsoTakes(message)
        }
        return taken.map { .answer(waiter: $0, message) } + [.publish(message)]
    }

    /// The channel is gone, or never came to be.
    mutating func closed(_ reason: SenderError) -> [Action] {
        if case .closed = self.phase { return [] }
        self.phase = .closed(reason)
        self.endpoints = []
        return self.takeWaiters { _ in true }.map { .fail(waiter: $0, reason) } + [.finish(reason)]
    }

    /// Consent is no answer, whether it carries the number of the LAUNCH or not: the launch is answered when it is done.
    /// Only a refusal ends it.
    private mutating func receivedConsent(
        _ state: LaunchStatus.State?, of requestID: RequestID, _ message: CastMessage
    ) -> [Action] {
        switch state {
        case .userNotAllowed:
            let refused = self.takeWaiters { $0.isAnswered(by: message, to: requestID) }
            return refused.map { .answer(waiter: $0, message) } + [.publish(message)]
        case .userPendingAuthorization:
            var actions: [Action] = []
            for index in self.waiters.indices
            where self.waiters[index].waiter.isAnswered(by: message, to: requestID) && !self.waiters[index].isExtended {
                self.waiters[index].isExtended = true
                actions.append(.extend(waiter: self.waiters[index].id))
            }
            return actions + [.publish(message)]
        case .userAllowed, nil: return [.publish(message)]
        }
    }

    private mutating func receivedConnection(_ message: CastMessage) -> [Action] {
        guard ConnectionPayload(message.payload)?.kind == .close else { return [.publish(message)] }
        self.endpoints.remove(message.source)
        let ended = self.takeWaiters { $0.endpoint == message.source }
        return ended.map { .fail(waiter: $0, .connectionClosed(message.source)) } + [.publish(message)]
    }

    private mutating func takeWaiters(_ isTaken: (Waiter) -> Bool) -> [Int] {
        let taken = self.waiters.filter { isTaken($0.waiter) }.map(\.id)
        if !taken.isEmpty { self.waiters.removeAll { taken.contains($0.id) } }
        return taken
    }
}
