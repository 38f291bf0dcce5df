import CProcess

/// What a program inherits that this process executes: standard input, output and error, and nothing else.
///
/// SwiftNIO opens sockets without close-on-exec. Plugins get none of them, but the tracer that the Swift runtime starts in a crash would,
/// and hold ports and connections of a gateway that is gone.
enum InheritedDescriptors {
    /// How often what was opened meanwhile is kept back.
    static let interval = Duration.seconds(10)

    /// Keeps back what is open now. Does nothing before Linux 5.11.
    static func keepBack() { _ = castway_close_on_exec() }
}

extension GatewayDaemon {
    /// Keeps back what the gateway opens, again and again: listeners at once when they listen, connections a little later.
    func keepDescriptorsBack() async {
        while !Task.isCancelled {
            InheritedDescriptors.keepBack()
            do { try await ContinuousClock().sleep(for: InheritedDescriptors.interval) } catch { return }
        }
    }
}
