import CastIdentity
import CastWire
import NIOCore

extension RevocationEvidence {
    /// The version of revocation lists that there is.
    private static let version: UInt64 = 0

    /// What a device's reply says about revoked certificates; an empty bundle says nothing.
    init(bundle: [UInt8]) {
        guard !bundle.isEmpty else {
            self = .none
            return
        }
        do {
            let lists = try CRLBundle(parsing: ByteBuffer(bytes: bundle)).lists
            for list in lists {
                let contents = try CRLContents(parsing: ByteBuffer(bytes: list.contents))
                guard contents.version == Self.version else { continue }
                self = .list(SignedRevocationList(list, contents))
                return
            }
            self = .unusable(.versionUnknown)
        } catch {
            self = .unusable(.unreadable(reason: error.description))
        }
    }
}

extension SignedRevocationList {
    fileprivate init(_ list: SignedCRL, _ contents: CRLContents) {
        self.init(
            signed: list.contents, signer: list.signerCertificate, signature: list.signature,
            list: RevocationList(
                notBefore: Int64(clamping: contents.notBefore), notAfter: Int64(clamping: contents.notAfter),
                keyHashes: Set(contents.revokedKeyHashes),
                serials: contents.revokedSerialNumbers.map {
                    RevocationList.Serials(issuerKeyHash: $0.issuerKeyHash, first: $0.first, last: $0.last)
                }))
    }
}
