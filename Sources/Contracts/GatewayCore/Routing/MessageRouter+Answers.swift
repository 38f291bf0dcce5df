public import CastWire
import HandlerKit

extension MessageRouter {
    /// Whether a handler may answer in a namespace in the place of an app, or speak there for it.
    /// - Parameters:
    ///   - names: of a message to the app.
    ///   - device: the virtual device's name.
    ///   - session: the app; nil when none is known.
    public func answers(_ names: MessageNames, on device: String, for session: SessionFacts?) -> Bool {
        MessageDirection.allCases.contains { direction in
            self.chain(of: names, direction).candidates.contains { entry in
                entry.wants(type: entry.claim.types?.first, device: device, session: session)
            }
        }
    }

    /// How many flows wait behind a deferred message.
    public var heldFlowCount: Int { self.flows.count }

    /// The virtual device, or the gateway's own session, until ``shutdown()``.
    var output: (any RouterOutput)? { self.executor.output }
}
