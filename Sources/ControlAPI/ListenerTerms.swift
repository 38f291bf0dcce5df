import CastTransport
import HTTPServing
import NIOCore
import Synchronization

/// What one listener of the API goes by, as it is now. A listener that takes over has its own from the start, and one that is given up keeps
/// those that it had.
final class ListenerTerms: Sendable {
    private let settings: Mutex<APIServer.Settings>

    init(_ settings: APIServer.Settings) { self.settings = Mutex(settings) }

    var current: APIServer.Settings { self.settings.withLock { $0 } }

    func set(_ settings: APIServer.Settings) { self.settings.withLock { $0 = settings } }

    /// Serves another certificate to new connections, when there is TLS.
    func replace(certificate: TLSServerContext) {
        self.settings.withLock { settings in
            if settings.certificate != nil { settings.certificate = certificate }
        }
    }

    /// What a connection may use.
    var http: HTTPLimits {
        let settings = self.current
        return HTTPLimits(
            requestTimeout: settings.requestTimeout, idleTimeout: settings.idleTimeout,
            maximumBodyBytes: settings.limits.body)
    }

    /// Which requests are taken at all.
    var rules: RequestRules {
        let settings = self.current
        return RequestRules(
            isSecure: settings.certificate != nil, hosts: settings.hosts, origins: settings.origins)
    }

    /// What a socket may use.
    var sockets: APISocketLimits {
        let settings = self.current
        var limits = APISocketLimits()
        limits.frames.maximumMessageBytes = settings.limits.body
        limits.frames.framesPerSecond = settings.limits.requestsPerSecond ?? .max
        return limits
    }
}
