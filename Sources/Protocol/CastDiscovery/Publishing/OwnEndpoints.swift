import Synchronization

/// The end points at which this process answers for other devices, under their ids: what is announced there comes back from the network
/// and is not the device.
///
/// A device that is passed through has the id of the real one, so that only the end point tells the two apart. May be used on any thread.
package final class OwnEndpoints: Sendable {
    private struct Endpoint: Hashable {
        let host: String
        let port: Int
    }

    private let endpoints = Mutex<[String: Set<Endpoint>]>([:])

    package init() {}

    /// Says where something listens, in the place of what was said of it before.
    /// - Parameters:
    ///   - hosts: the literal addresses under which it is reached; none for what listens no more.
    ///   - name: what it goes by.
    package func set(hosts: [String], port: Int, of name: String) {
        let endpoints = Set(hosts.map { Endpoint(host: $0.lowercased(), port: port) })
        self.endpoints.withLock { $0[name] = endpoints.isEmpty ? nil : endpoints }
    }

    /// True if this process answers there itself.
    package func contains(host: String, port: Int) -> Bool {
        let endpoint = Endpoint(host: host.lowercased(), port: port)
        return self.endpoints.withLock { $0.values.contains { $0.contains(endpoint) } }
    }
}
