import CastWire

/// A message between two handlers: what it has become, and who is asked next. For the router's event loop.
final class Journey {
    enum Stage {
        case filter(Int)
        case handle(Int)
    }

    var routed: RoutedMessage
    /// The flow that the message came in; a filter may change the ends, and the message keeps its place all the same.
    let key: FlowKey
    let chain: HandlerTable.Chain
    /// The flow that the message holds back, once somebody has deferred it.
    var flow: Flow?
    /// What the handler that is asked now, or was asked last, took to decide later.
    var deferral: Deferral?
    /// Who is asked now, or was asked last.
    private(set) var entry: HandlerTable.Entry?
    /// How many were asked; a context that outlives its handler's turn knows by it that it is out of date.
    private(set) var turn = 0
    private var stage = Stage.filter(0)

    init(_ routed: RoutedMessage, chain: HandlerTable.Chain, flow: Flow? = nil) {
        self.routed = routed
        self.key = flow?.key ?? routed.flow
        self.chain = chain
        self.flow = flow
    }

    /// The next handler that wants the message, or nil when nobody is left.
    func nextEntry() -> HandlerTable.Entry? {
        self.deferral = nil
        self.turn += 1
        self.entry = self.findNext()
        return self.entry
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
            case .handle(let index):
                guard index < self.chain.candidates.count else { return nil }
                self.stage = .handle(index + 1)
                if self.isWanted(by: self.chain.candidates[index]) { return self.chain.candidates[index] }
            }
        }
    }

    /// A handler is not asked about what it said itself, nor about the answer that it is handed anyway.
    func isWanted(by entry: HandlerTable.Entry) -> Bool {
        entry.wants(type: self.routed.summary.type, device: self.routed.device.name, session: self.routed.session)
            && (self.routed.origin.map { $0.isReaction || $0.name != entry.handler.name } ?? true)
    }
}
