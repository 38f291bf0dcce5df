import CastIdentity
import GRDB
import NIOCore

@testable import VirtualDevices

/// Signs nothing: channels without TLS have no certificate to sign. Its key is made once, since that takes its time.
enum FuzzSigner {
    private static let identity = Result {
        try IdentityStore(database: DatabaseQueue()).loadOrCreate(device: "fuzz", now: 1_800_000_000)
    }

    static func make(on loop: any EventLoop) throws -> ChallengeSigner {
        ChallengeSigner(identity: try self.identity.get(), eventLoop: loop)
    }
}
