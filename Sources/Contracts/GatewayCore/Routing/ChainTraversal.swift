import CastWire
import NIOCore

/// One message on its way through its handler chain: what it has become, and which handler is asked. For the router's event
/// loop.
///
/// It is an object since a deferral refers to it: a verdict that comes late finds by its identity whether it is still the
/// one that is waited for.
final class ChainTraversal {
    private enum Stage {
        case filter(Int)
        case handle(Int)
        /// A filter has named the handler that decides alone.
        case handedOver(HandlerTable.Entry)
    }

    /// The message; another payload is to be judged anew.
    var routed: RoutedMessage { didSet { self.isJudged = false } }
    /// Whether the gateway's guard lets the message go on as it is.
    var isJudged = false
    let chain: HandlerTable.Chain
    /// The flow that the message holds back, once a handler has deferred it.
    var flow: HeldFlow?
    /// The right to decide later, as far as the handler of this turn took it.
    var deferral: Deferral?
    /// The handler that is asked now, or was asked last.
    private(set) var entry: HandlerTable.Entry?
    /// When the handler was asked that has deferred the message; nil when that is not measured.
    var askedAt: NIODeadline?
    /// How many handlers were asked. A context that outlives its handler's turn is recognised by an older number.
    private(set) var turn = 0
    private var stage = Stage.filter(0)

    init(_ routed: RoutedMessage, chain: HandlerTable.Chain, flow: HeldFlow? = nil) {
        self.routed = routed
        self.chain = chain
        self.flow = flow
    }

    /// The next handler that wants the message, or nil when none is left.
    func nextEntry() -> HandlerTable.Entry? {
        self.deferral = nil
        self.turn += 1
        self.entry = self.findNext()
        return self.entry
    }

    /// Leaves the message to one handler alone: of the filters and owners that are left none is asked.
    /// - Parameter table: where the handler is looked up.
    /// - Throws: a rejection when the handler is not there, or must not see the message.
    func handOver(to name: String, in table: HandlerTable) throws(Rejection) {
        guard let entry = table.entry(of: name, takingOver: self.routed) else {
            throw Rejection(reason: Rejection.handlerFailed.reason, message: "'\(name)' does not take this message")
        }
        self.stage = .handedOver(entry)
    }

    /// Closes the right to decide later, if it was taken.
    /// - Returns: false when there is none, or it was closed already.
    @discardableResult
    func settle() -> Bool {
        defer { self.deferral = nil }
        return self.deferral?.settle() ?? false
    }

    private func findNext() -> HandlerTable.Entry? {
        while true {
            switch self.stage {
            case .filter(let index):
                guard index < self.chain.filters.count else {
                    self.stage = .handle(0)
                    continue
                }
                self.stage = .filter(index + 1)
                if self.isWanted(by: self.chain.filters[index]) { return self.chain.filters[index] }
            case .handedOver(let entry):
                self.stage = .handle(self.chain.candidates.count)
                return entry
            case .handle(let index):
                guard index < self.chain.candidates.count else { return nil }
                self.stage = .handle(index + 1)
                if self.isWanted(by: self.chain.candidates[index]) { return self.chain.candidates[index] }
            }
        }
    }

    /// A handler does not see messages that it originated, nor the answer to its own request, which it receives anyway.
    func isWanted(by entry: HandlerTable.Entry) -> Bool {
        entry.wants(type: self.routed.summary.type, device: self.routed.device.name, session: self.routed.session)
            && !self.routed.isOriginated(by: entry.handler.name)
    }
}
