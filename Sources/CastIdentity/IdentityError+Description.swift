extension IdentityError: CustomStringConvertible {
    /// One sentence for logs and for the command line.
    public var description: String {
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
    /// What there is to do about a database that cannot be used, so that new identities are made on purpose only.
    private static let wayOut =
        "bring a backup back with 'castway state restore FILE' (backups are made with 'castway state backup FILE'), or let "
        + "'castway state reset' put it aside: the next run then makes a new root and new identities, and senders see new devices"

    /// Whether the state is there perhaps, and only refuses to be changed.
    var isRefusedWriting: Bool {
        switch self {
        case .stateDirectoryReadOnly, .databaseNotWritable: true
        default: false
        }
    }
}
