import CastWire
import NIOCore

/// Revocation lists read the same when they are written again, and take no more memory than their bytes warrant.
package enum CRLBundleTarget: FuzzTarget {
    /// `crl-bundle`
    package static let name = "crl-bundle"

    /// Reads a bundle and the lists in it, writes both, reads both again.
    package static func run(_ input: [UInt8]) throws {
        guard let bundle = try? CRLBundle(parsing: ByteBuffer(bytes: input)) else { return }
        let again = try CRLBundle(parsing: bundle.serialize())
        try Violation.unless(bundle == again, "read \(bundle), wrote and read \(again)")
        try Violation.unless(bundle.lists.count <= CRLBundle.maximumLists, "\(bundle.lists.count) lists")
        for list in bundle.lists {
            guard let contents = try? CRLContents(parsing: ByteBuffer(bytes: list.contents)) else { continue }
            let again = try CRLContents(parsing: contents.serialize())
            try Violation.unless(contents == again, "read \(contents), wrote and read \(again)")
            // An entry stands for a hash of 32 bytes with its tag and length.
            let entries = contents.revokedKeyHashes.count + contents.revokedSerialNumbers.count
            try Violation.unless(entries <= list.contents.count / 34, "\(entries) entries")
        }
    }
}
