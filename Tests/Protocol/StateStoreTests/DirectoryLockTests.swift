import CastwayTestSupport
import Foundation
import StateStore
import Testing

@Suite struct DirectoryLockTests {
    private struct Broken: Error {}

    let directory: TemporaryFolder

    init() throws {
        self.directory = try TemporaryFolder()
    }

    @Test func othersAreKeptOutUntilTheBodyEnds() throws {
        let other = open(self.directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(other) }
        try DirectoryLock.with(self.directory.path) {
            #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
        }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    }

    @Test func failureOfTheBodyReleasesIt() {
        for _ in 0..<2 {
            #expect(throws: Broken.self) {
                try DirectoryLock.with(self.directory.path) { throw Broken() }
            }
        }
    }

    @Test func aDirectoryThatIsNotThereIsReported() {
        let path = self.directory.file("none")
        #expect(throws: DirectoryLock.Failure(path: path, reason: "No such file or directory")) {
            try DirectoryLock.with(path) {}
        }
    }
}
