import Glibc

/// The reason an identity could not be made, loaded, kept or used.
///
/// The set is closed: callers may switch over it. ``description`` is a sentence for people.
package enum IdentityError: Error, Equatable, Sendable {
    /// libcrypto refused; `action` says what was tried, `reason` is the text of its error queue.
    case cryptographyFailed(action: String, reason: String)

    case emptyDeviceName

    case fileMissing(path: String)

    /// The file at `path` exists and can not be read.
    case fileUnreadable(path: String, reason: String)

    /// The file at `path` can not be written.
    case fileUnwritable(path: String, reason: String)

    /// The file at `path` holds no PEM block.
    case fileHoldsNoPEM(path: String)

    /// The configured root certificate is not a PEM certificate.
    case rootCertificateUnreadable(reason: String)

    /// The configured root key is not a PEM private key.
    case rootKeyUnreadable(reason: String)

    case rootKeyEncrypted

    /// The configured root holds a key that is not RSA.
    case rootKeyNotRSA

    /// The configured root's RSA key has fewer than 2048 bits.
    case rootKeyTooSmall(bits: Int)

    /// The configured key is not the key of the configured certificate.
    case rootKeyMismatch

    /// The configured certificate must not sign what Castway would sign with it.
    case rootNotCertificateAuthority(reason: String)

    /// The root is past its end, in seconds since 1970.
    case rootExpired(notAfter: Int64)

    /// A root that devices are verified against is no DER certificate; `index` counts from 0.
    case trustedRootUnreadable(index: Int)

    /// The file at `path` holds no certificates to trust, or one that can not be read.
    case trustAnchorUnreadable(path: String, reason: String)

    /// The state directory can not be made or used.
    case stateDirectoryUnusable(path: String, reason: String)

    /// The state directory does not permit writing.
    case stateDirectoryReadOnly(path: String)

    /// The state database is not a database or is corrupt.
    case databaseDamaged(path: String, reason: String)

    /// The state database is gone or empty, in a directory where one was made.
    case databaseLost(path: String)

    /// There is no state database; the first run of the gateway makes it.
    case databaseMissing(path: String)

    /// A gateway runs on the state directory; `process` is its id, when that is known.
    case stateInUse(path: String, process: Int?)

    /// Another process kept the state database locked for too long.
    case databaseBusy(path: String)

    case databaseTooNew(path: String, version: Int)

    case databaseFailed(path: String, reason: String)

    /// The state database takes no writing: the disk is full or fails, or the file is read-only.
    case databaseNotWritable(path: String, reason: String)

    case backupUnusable(path: String, reason: String)

    /// A new identity would be another one after every start, for it can not be kept.
    case identityNotKept(device: String, reason: String)

    /// A stored identity cannot be used; `subject` is `developer root` or the device's name.
    case storedIdentityDamaged(subject: String, reason: String)

    /// A libcrypto failure with the text of the error queue, which is empty afterwards.
    static func cryptography(_ action: String) -> IdentityError {
        .cryptographyFailed(action: action, reason: OpenSSLErrors.drain())
    }
}

extension IdentityError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cryptographyFailed(let action, let reason):
            "could not \(action): \(reason)"
        case .emptyDeviceName:
            "a device name must not be empty"
        case .fileMissing(let path):
            "\(path): there is no such file"
        case .fileUnreadable(let path, let reason):
            "\(path): can not be read: \(reason)"
        case .fileUnwritable(let path, let reason):
            "\(path): can not be written: \(reason)"
        case .fileHoldsNoPEM(let path):
            "\(path): holds no PEM block (a line that starts with -----BEGIN)"
        case .trustedRootUnreadable(let index):
            "trusted root \(index): is not a DER certificate"
        case .trustAnchorUnreadable(let path, let reason):
            "trust anchors \(path): can not be used: \(reason)"
        case .stateDirectoryUnusable(let path, let reason):
            "state directory \(path): can not be used: \(reason)"
        case .stateDirectoryReadOnly(let path):
            "state directory \(path): must be writable"
        case .databaseDamaged(let path, let reason):
            "state database \(path): is damaged: \(reason); \(Self.wayOut)"
        case .databaseLost(let path):
            "state database \(path): is missing or empty, though one was made here; \(Self.wayOut)"
        case .databaseMissing(let path):
            "state database \(path): there is none yet; the first 'castway run' makes it"
        case .stateInUse(let path, let process):
            "state directory \(path): is used by a gateway that runs\(process.map { $0 > 0 ? " (process \($0))" : "" } ?? "")"
        case .databaseBusy(let path):
            "state database \(path): is locked by another process"
        case .databaseTooNew(let path, let version):
            "state database \(path): was written by a newer Castway (identity tables version \(version))"
        case .databaseFailed(let path, let reason):
            "state database \(path): \(reason)"
        case .databaseNotWritable(let path, let reason):
            "state database \(path): can not be written: \(reason)"
        case .backupUnusable(let path, let reason):
            "backup \(path): cannot be used: \(reason); the state stays as it is. Take another backup"
        case .identityNotKept(let device, let reason):
            "the identity of virtual device '\(device)' can not be made: \(reason)"
        case .storedIdentityDamaged(let subject, let reason):
            "stored identity of \(subject): is damaged: \(reason)"
        case .rootCertificateUnreadable(let reason):
            "root certificate: is not a PEM certificate: \(reason)"
        case .rootKeyUnreadable(let reason):
            "root key: is not a PEM private key: \(reason)"
        case .rootKeyEncrypted:
            "root key: must not be protected by a passphrase"
        case .rootKeyNotRSA:
            "root key: must be an RSA key"
        case .rootKeyTooSmall(let bits):
            "root key: must have 2048 bits or more, not \(bits)"
        case .rootKeyMismatch:
            "root key: does not belong to the root certificate"
        case .rootNotCertificateAuthority(let reason):
            "root certificate: can not sign device certificates: \(reason)"
        case .rootExpired(let notAfter):
            "root certificate: expired at \(CertificateTime.text(notAfter))"
        }
    }
}

extension IdentityError {
    /// The remedy for a database that cannot be used, so that new identities are made on purpose only.
    private static let wayOut =
        "bring a backup back with 'castway state restore FILE' (backups are made with 'castway state backup FILE'), or let "
        + "'castway state reset' put it aside: the next run then makes a new root and new identities, and senders see new devices"

    /// True if the state is there perhaps, and only refuses to be changed.
    var isRefusedWriting: Bool {
        switch self {
        case .stateDirectoryReadOnly, .databaseNotWritable: true
        default: false
        }
    }
}

/// The system's words for its error numbers.
enum SystemErrorText {
    /// - Parameter code: A value of `errno`.
    static func text(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
