/// Why an identity could not be made, loaded, kept or used.
///
/// The set is closed: callers may switch over it. ``description`` is a sentence for people.
public enum IdentityError: Error, Equatable, Sendable {
    /// libcrypto refused; `action` says what was tried, `reason` is the text of its error queue.
    case cryptographyFailed(action: String, reason: String)

    /// The device name is empty.
    case emptyDeviceName

    /// There is no file at `path`.
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

    /// The configured root key needs a passphrase.
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

    /// The identity tables were written by a newer Castway.
    case databaseTooNew(path: String, version: Int)

    /// Any other failure of the state database.
    case databaseFailed(path: String, reason: String)

    /// The state database takes no writing: the disk is full or fails, or the file is read-only.
    case databaseNotWritable(path: String, reason: String)

    /// A new identity would be another one after every start, for it can not be kept.
    case identityNotKept(device: String, reason: String)

    /// What is stored can not be used; `subject` is `developer root` or the device's name.
    case storedIdentityDamaged(subject: String, reason: String)

    /// A libcrypto failure with the text of the error queue, which is empty afterwards.
    static func cryptography(_ action: String) -> IdentityError {
        .cryptographyFailed(action: action, reason: OpenSSLErrors.drain())
    }
}
