import CastWire

/// A message between two handlers: what it has become, and who is asked next.
struct Journey {
    enum Stage {
        case filter(Int)
        case handle(Int)
    }

    var routed: RoutedMessage
    /// The flow that the message came in; a filter may change the ends, and the message keeps its place all the same.
    let flow: FlowKey
    let chain: HandlerTable.Chain
    var stage = Stage.filter(0)

    init(_ routed: RoutedMessage, chain: HandlerTable.Chain) {
        self.routed = routed
        self.flow = routed.flow
        self.chain = chain
    }

    /// The next handler that wants the message, or nil when nobody is left.
    mutating func nextEntry() -> HandlerTable.Entry? {
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

    /// Nobody is asked about what he said himself.
    func isWanted(by entry: HandlerTable.Entry) -> Bool {
        entry.wants(type: self.routed.summary.type, device: self.routed.device.name)
            && (self.routed.origin.map { $0.name != entry.handler.name } ?? true)
    }
}
