import CastwayTestSupport
import Foundation
import Testing

@testable import CastIdentity

@Suite struct DirectoryLockTests {
    let directory: TemporaryFolder

    init() throws {
        self.directory = try TemporaryFolder()
    }

    @Test func othersAreKeptOutUntilTheBodyEnds() throws {
        let other = open(self.directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(other) }
        try DirectoryLock.with(self.directory.path) { () throws(IdentityError) in
            #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
        }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    }

    @Test func failureOfTheBodyReleasesIt() {
        for _ in 0..<2 {
            #expect(throws: IdentityError.emptyDeviceName) {
                try DirectoryLock.with(self.directory.path) { () throws(IdentityError) in
                    throw IdentityError.emptyDeviceName
                }
            }
        }
    }
}
