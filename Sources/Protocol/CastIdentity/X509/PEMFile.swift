import CCrypto
import Glibc

/// A PEM file that the operator names: a certificate or a private key.
package struct PEMFile: Sendable, Equatable {
    /// The path as it was given.
    package let path: String

    /// The whole file without a byte order mark; it holds at least one PEM block.
    package let contents: [UInt8]

    /// The most bytes that a file may have: 1 MiB.
    package static let maximumLength = 1 << 20

    /// Reads the file.
    ///
    /// - Parameter path: A file of at most 1 MiB.
    /// - Throws: ``IdentityError/fileMissing(path:)``, ``IdentityError/fileUnreadable(path:reason:)`` or
    ///   ``IdentityError/fileHoldsNoPEM(path:)``.
    package init(path: String) throws(IdentityError) {
        // Not blocking: the path may name a pipe without a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let code = errno
            throw code == ENOENT
                ? .fileMissing(path: path) : .fileUnreadable(path: path, reason: SystemErrorText.text(code))
        }
        defer { close(file) }
        try self.init(path: path, contents: try Self.read(file, path: path))
    }

    /// Takes the contents of a file that was read elsewhere.
    ///
    /// - Throws: ``IdentityError/fileHoldsNoPEM(path:)``.
    package init(path: String, contents: [UInt8]) throws(IdentityError) {
        // A byte order mark, which editors of Windows write, would hide the first block.
        let contents = contents.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(contents.dropFirst(3)) : contents
        guard Self.holdsBlock(contents) else { throw .fileHoldsNoPEM(path: path) }
        self.path = path
        self.contents = contents
    }

    private static func read(_ file: Int32, path: String) throws(IdentityError) -> [UInt8] {
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count == 0 { return contents }
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                throw .fileUnreadable(path: path, reason: SystemErrorText.text(code))
            }
            contents += piece.prefix(count)
            guard contents.count <= Self.maximumLength else {
                throw .fileUnreadable(path: path, reason: "it is larger than 1 MiB")
            }
        }
    }

    /// True if a line starts with the mark of a PEM block (RFC 7468).
    private static func holdsBlock(_ contents: [UInt8]) -> Bool {
        let mark = Array("-----BEGIN ".utf8)
        return contents.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: mark) }
    }
}

/// A PEM file of certificates that the operator trusts.
package struct TrustAnchorFile: Sendable, Equatable {
    /// The path as it was given.
    package let path: String

    /// All certificates in the file as DER, at least one. Blocks of other kinds are passed over.
    package let certificates: [[UInt8]]

    /// Reads the file.
    ///
    /// - Parameter path: A file of at most 1 MiB.
    /// - Throws: ``IdentityError/fileMissing(path:)``, ``IdentityError/fileUnreadable(path:reason:)``,
    ///   ``IdentityError/fileHoldsNoPEM(path:)`` or ``IdentityError/trustAnchorUnreadable(path:reason:)``.
    package init(path: String) throws(IdentityError) {
        try self.init(try PEMFile(path: path))
    }

    /// Takes a file that was read already.
    ///
    /// - Throws: ``IdentityError/trustAnchorUnreadable(path:reason:)``.
    package init(_ file: PEMFile) throws(IdentityError) {
        self.path = file.path
        self.certificates = try Self.certificates(in: file)
    }

    private static func certificates(in file: PEMFile) throws(IdentityError) -> [[UInt8]] {
        guard let buffer = MemoryBuffer(file.contents) else { throw .cryptography("read a certificate") }
        var certificates: [[UInt8]] = []
        while let handle = buffer.withHandle({ PEM_read_bio_X509($0, nil, nil, nil) }) {
            let certificate = Certificate(owning: handle)
            certificates.append(try certificate.der())
        }
        // The end of the file is an error of its own kind; any other is a block that cannot be read.
        let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        let reason = OpenSSLErrors.drain()
        guard isAtEnd else { throw .trustAnchorUnreadable(path: file.path, reason: reason) }
        guard !certificates.isEmpty else {
            throw .trustAnchorUnreadable(path: file.path, reason: "it holds no certificate")
        }
        return certificates
    }
}
