import CastIdentity
package import CastwayTestSupport
import SystemPrimitives

extension TemporaryFolder {
    /// Makes a folder in which a gateway has run before: `state` has its root and the identities of these virtual devices. For
    /// tests of the program that are not about its first start, which makes keys for a second.
    package convenience init(withStateOf devices: String...) throws {
        try self.init()
        try RSAKeySource.$current.withValue(.shared) {
            let store = try IdentityStore.open(stateDirectory: self.file("state"))
            let now = WallClock.secondsSince1970
            for device in devices {
                _ = try store.currentLeaf(for: store.loadOrCreate(device: device, now: now), now: now)
            }
            try store.remember()
            try store.close()
        }
    }
}
