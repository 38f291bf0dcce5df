import CastTransport
import Synchronization

/// The certificate that new channels serve; swapped when it is renewed, while older channels keep theirs.
final class CertificateBox: Sendable {
    private let current: Mutex<TLSServerContext>

    init(_ certificate: TLSServerContext) {
        self.current = Mutex(certificate)
    }

    var certificate: TLSServerContext {
        get { self.current.withLock { $0 } }
        set { self.current.withLock { $0 = newValue } }
    }
}
