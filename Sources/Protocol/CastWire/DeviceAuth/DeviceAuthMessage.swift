public import NIOCore

/// What travels in the binary payloads of ``Namespace/deviceAuth``: one of challenge, response and error
/// (protocol notes, 2.3).
///
/// Nothing on the wire forbids several at once, or none, so the reader decides what such a message is worth.
public struct DeviceAuthMessage: Hashable, Sendable {
    /// A sender's question.
    public var challenge: AuthChallenge?
    /// A device's proof.
    public var response: AuthResponse?
    /// A device's refusal.
    public var error: AuthError?

    /// Makes a message of the parts that it shall have.
    public init(challenge: AuthChallenge? = nil, response: AuthResponse? = nil, error: AuthError? = nil) {
        self.challenge = challenge
        self.response = response
        self.error = error
    }
}

extension DeviceAuthMessage {
    /// Reads a message from the whole of a payload. Fields that Castway does not know are skipped.
    /// - Throws: ``WireError`` when the bytes are malformed or a required field of a part is absent.
    public init(parsing payload: ByteBuffer) throws(WireError) {
        // A part that stands twice is one part whose fields are those of both, so their bytes are read as one.
        var challenge: ByteBuffer?
        var response: ByteBuffer?
        var error: ByteBuffer?
        var fields = ProtobufReader(payload)
        while let field = try fields.next(payload.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): try Self.append(fields.slice(range), to: &challenge)
            case (2, .bytes(let range)): try Self.append(fields.slice(range), to: &response)
            case (3, .bytes(let range)): try Self.append(fields.slice(range), to: &error)
            default: break
            }
        }
        self.init()
        if let challenge { self.challenge = try AuthChallenge(parsing: challenge) }
        if let response { self.response = try AuthResponse(parsing: response) }
        if let error { self.error = try AuthError(parsing: error) }
    }

    private static func append(_ bytes: ByteBuffer, to part: inout ByteBuffer?) throws(WireError) {
        // Each piece must be whole by itself: fields may not run from one into the next.
        var fields = ProtobufReader(bytes)
        while try fields.next(bytes.readableBytesUInt8Span) != nil {}
        if part == nil { part = bytes } else { part?.writeImmutableBuffer(bytes) }
    }

    /// The message as the content of a binary payload.
    public func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        if let challenge { ProtobufWriter.write(challenge.serialize(), field: 1, to: &buffer) }
        if let response { ProtobufWriter.write(response.serialize(), field: 2, to: &buffer) }
        if let error { ProtobufWriter.write(error.serialize(), field: 3, to: &buffer) }
        return buffer
    }

    /// The message as a payload.
    public var payload: CastMessage.Payload { .binary(self.serialize()) }
}

/// A sender's request that the device proves who it is (protocol notes, 2.3).
///
/// Every field has a default, so a challenge without any content is valid; VLC sends that.
public struct AuthChallenge: Hashable, Sendable {
    /// The signature that the sender wants; PKCS #1 v1.5 unless it says otherwise.
    public var signatureAlgorithm: AuthSignatureAlgorithm
    /// Bytes to be signed together with the certificate, 16 in practice; nil when the sender gave none.
    public var senderNonce: [UInt8]?
    /// The digest that the sender wants; SHA-1 unless it says otherwise.
    public var hashAlgorithm: AuthHashAlgorithm

    /// Makes a challenge; without arguments it is the empty one.
    public init(
        senderNonce: [UInt8]? = nil, hashAlgorithm: AuthHashAlgorithm = .sha1,
        signatureAlgorithm: AuthSignatureAlgorithm = .rsassaPKCS1v15
    ) {
        self.signatureAlgorithm = signatureAlgorithm
        self.senderNonce = senderNonce
        self.hashAlgorithm = hashAlgorithm
    }
}

extension AuthChallenge {
    /// Algorithms that this version does not know count as absent, as proto2 has it.
    init(parsing body: ByteBuffer) throws(WireError) {
        self.init()
        var fields = ProtobufReader(body)
        while let field = try fields.next(body.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .varint(let value)):
                self.signatureAlgorithm = AuthSignatureAlgorithm(rawValue: value) ?? self.signatureAlgorithm
            case (2, .bytes(let range)): self.senderNonce = fields.array(range)
            case (3, .varint(let value)): self.hashAlgorithm = AuthHashAlgorithm(rawValue: value) ?? self.hashAlgorithm
            default: break
            }
        }
    }

    func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        if self.signatureAlgorithm != .rsassaPKCS1v15 {
            ProtobufWriter.write(self.signatureAlgorithm.rawValue, field: 1, to: &buffer)
        }
        if let senderNonce { ProtobufWriter.write(senderNonce, field: 2, to: &buffer) }
        if self.hashAlgorithm != .sha1 { ProtobufWriter.write(self.hashAlgorithm.rawValue, field: 3, to: &buffer) }
        return buffer
    }
}

/// A device's proof: a signature, and the certificates that lead to a root the sender trusts (protocol notes, 2.3).
public struct AuthResponse: Hashable, Sendable {
    /// The signature over the nonce and the DER form of the channel's TLS certificate (protocol notes, 2.5).
    public var signature: [UInt8]
    /// The device's certificate, DER.
    public var clientAuthCertificate: [UInt8]
    /// The certificates between the device's and the root, DER, the device's issuer first.
    public var intermediateCertificates: [[UInt8]]
    /// How the signature was made.
    public var signatureAlgorithm: AuthSignatureAlgorithm
    /// The nonce that was signed, or nil when none was.
    public var senderNonce: [UInt8]?
    /// The digest under the signature.
    public var hashAlgorithm: AuthHashAlgorithm
    /// The serialised revocation list bundle (protocol notes, 2.8), or nil.
    public var crl: [UInt8]?

    /// Makes a response.
    public init(
        signature: [UInt8], clientAuthCertificate: [UInt8], intermediateCertificates: [[UInt8]] = [],
        senderNonce: [UInt8]? = nil, hashAlgorithm: AuthHashAlgorithm = .sha1,
        signatureAlgorithm: AuthSignatureAlgorithm = .rsassaPKCS1v15, crl: [UInt8]? = nil
    ) {
        self.signature = signature
        self.clientAuthCertificate = clientAuthCertificate
        self.intermediateCertificates = intermediateCertificates
        self.signatureAlgorithm = signatureAlgorithm
        self.senderNonce = senderNonce
        self.hashAlgorithm = hashAlgorithm
        self.crl = crl
    }
}

extension AuthResponse {
    /// Algorithms that this version does not know count as absent, as proto2 has it.
    init(parsing body: ByteBuffer) throws(WireError) {
        self.init(signature: [], clientAuthCertificate: [])
        var hasSignature = false
        var hasCertificate = false
        var fields = ProtobufReader(body)
        while let field = try fields.next(body.readableBytesUInt8Span) {
            switch (field.number, field.value) {
            case (1, .bytes(let range)):
                self.signature = fields.array(range)
                hasSignature = true
            case (2, .bytes(let range)):
                self.clientAuthCertificate = fields.array(range)
                hasCertificate = true
            case (3, .bytes(let range)): self.intermediateCertificates.append(fields.array(range))
            case (4, .varint(let value)):
                self.signatureAlgorithm = AuthSignatureAlgorithm(rawValue: value) ?? self.signatureAlgorithm
            case (5, .bytes(let range)): self.senderNonce = fields.array(range)
            case (6, .varint(let value)): self.hashAlgorithm = AuthHashAlgorithm(rawValue: value) ?? self.hashAlgorithm
            case (7, .bytes(let range)): self.crl = fields.array(range)
            default: break
            }
        }
        guard hasSignature else { throw .missingField(number: 1) }
        guard hasCertificate else { throw .missingField(number: 2) }
    }

    func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        ProtobufWriter.write(self.signature, field: 1, to: &buffer)
        ProtobufWriter.write(self.clientAuthCertificate, field: 2, to: &buffer)
        for certificate in self.intermediateCertificates { ProtobufWriter.write(certificate, field: 3, to: &buffer) }
        if self.signatureAlgorithm != .rsassaPKCS1v15 {
            ProtobufWriter.write(self.signatureAlgorithm.rawValue, field: 4, to: &buffer)
        }
        if let senderNonce { ProtobufWriter.write(senderNonce, field: 5, to: &buffer) }
        if self.hashAlgorithm != .sha1 { ProtobufWriter.write(self.hashAlgorithm.rawValue, field: 6, to: &buffer) }
        if let crl { ProtobufWriter.write(crl, field: 7, to: &buffer) }
        return buffer
    }
}

/// A device's refusal of a challenge (protocol notes, 2.3).
public struct AuthError: Hashable, Sendable {
    /// The reasons that devices give.
    public enum Kind: UInt64, Hashable, Sendable, CaseIterable {
        /// The device cannot answer, for want of credentials for example.
        case internalError = 0
        /// The channel has no TLS certificate to sign.
        case noTLS = 1
        /// The device has no key for the signature that was asked for.
        case signatureAlgorithmUnavailable = 2
    }

    /// What went wrong.
    public var kind: Kind

    /// Makes an error.
    public init(_ kind: Kind) {
        self.kind = kind
    }
}

extension AuthError {
    init(parsing body: ByteBuffer) throws(WireError) {
        var value: UInt64?
        var fields = ProtobufReader(body)
        while let field = try fields.next(body.readableBytesUInt8Span) {
            if case (1, .varint(let number)) = (field.number, field.value) { value = number }
        }
        guard let value else { throw .missingField(number: 1) }
        guard let kind = Kind(rawValue: value) else { throw .invalidValue(number: 1, value: value) }
        self.init(kind)
    }

    func serialize() -> ByteBuffer {
        var buffer = ByteBuffer()
        ProtobufWriter.write(self.kind.rawValue, field: 1, to: &buffer)
        return buffer
    }
}

/// The digest under a device's signature (protocol notes, 2.3).
public enum AuthHashAlgorithm: UInt64, Hashable, Sendable, CaseIterable {
    /// SHA-1, the default when a message names none.
    case sha1 = 0
    /// SHA-256.
    case sha256 = 1
}

/// How a device signs its answer to a challenge (protocol notes, 2.3).
public enum AuthSignatureAlgorithm: UInt64, Hashable, Sendable, CaseIterable {
    /// The sender leaves the choice to the device.
    case unspecified = 0
    /// RSASSA-PKCS1-v1_5, the only one in use and the default.
    case rsassaPKCS1v15 = 1
    /// RSASSA-PSS; devices answer it with ``AuthError/Kind/signatureAlgorithmUnavailable``.
    case rsassaPSS = 2
}
