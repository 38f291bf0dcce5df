import CastwayTestSupport
import Foundation
import Testing

@testable import CastIdentity

@Suite struct PEMFileTests {
    let directory: TemporaryFolder

    init() throws {
        self.directory = try TemporaryFolder()
    }

    @Test func readsTheContents() throws {
        let text = Array("Bag attributes\n-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n".utf8)
        let path = try self.directory.write(text, to: "root.pem")
        #expect(try PEMFile(path: path).contents == text)
        #expect(try PEMFile(path: path).path == path)
    }

    @Test func aByteOrderMarkHidesNoBlock() throws {
        let text = Array("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n".utf8)
        let path = try self.directory.write([0xEF, 0xBB, 0xBF] + text, to: "root.pem")
        #expect(try PEMFile(path: path).contents == text)
    }

    @Test func missingFileIsReported() {
        let path = self.directory.file("none.pem")
        let error = #expect(throws: IdentityError.fileMissing(path: path)) { try PEMFile(path: path) }
        #expect(error?.description == "\(path): there is no such file")
    }

    @Test func directoryIsReported() {
        let path = self.directory.path
        #expect(throws: IdentityError.fileUnreadable(path: path, reason: "Is a directory")) {
            try PEMFile(path: path)
        }
    }

    @Test(arguments: ["", "-----BEGIN", "text -----BEGIN CERTIFICATE-----"])
    func fileWithoutABlockIsReported(text: String) throws {
        let path = try self.directory.write(text, to: "root.pem")
        #expect(throws: IdentityError.fileHoldsNoPEM(path: path)) { try PEMFile(path: path) }
    }

    @Test func hugeFileIsReported() throws {
        let path = try self.directory.write(Array(repeating: 0x41, count: (1 << 20) + 1), to: "root.pem")
        #expect(throws: IdentityError.fileUnreadable(path: path, reason: "it is larger than 1 MiB")) {
            try PEMFile(path: path)
        }
    }

    @Test(.timeLimit(.minutes(1))) func pipeWithoutAWriterDoesNotHang() throws {
        let path = self.directory.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: IdentityError.fileHoldsNoPEM(path: path)) { try PEMFile(path: path) }
    }

    @Test(.timeLimit(.minutes(1))) func forbiddenFileIsReported() async throws {
        let path = try self.directory.write([], to: "root.pem")
        #expect(chmod(self.directory.path, 0o755) == 0)
        #expect(chmod(path, 0o000) == 0)
        await #expect(processExitsWith: .success) { [path = path as String] in
            if geteuid() == 0 { #expect(setuid(65_534) == 0) }
            #expect(throws: IdentityError.fileUnreadable(path: path, reason: "Permission denied")) {
                try PEMFile(path: path)
            }
        }
    }
}
