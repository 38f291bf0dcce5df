import CastWire

/// What keeps its order: the messages of one channel from one end to another (rule 1 of the router).
struct FlowKey: Hashable, Sendable {
    let connection: ConnectionID?
    let source: EndpointID
    let destination: EndpointID
}
