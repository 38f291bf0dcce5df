import Foundation
import GatewayConfig
import Testing

/// The real file system, in a folder of its own.
struct DiskFileSystemTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        // Wildcards in the folder's own name must mean nothing.
        let folder = NSTemporaryDirectory() + "config[*]?-\(UUID().uuidString)/"
        try FileManager.default.createDirectory(atPath: folder + "conf.d", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test func filesIncludesAndSecretsAreRead() throws {
        try self.withFolder { folder in
            let secret = folder + "secret"
            try "hunter2\n".write(toFile: secret, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
            try "include: [conf.d/*.yaml]\npassword_file: \(secret)\n"
                .write(toFile: folder + "main.yaml", atomically: false, encoding: .utf8)
            try "count: 3\n".write(toFile: folder + "conf.d/a.yaml", atomically: false, encoding: .utf8)
            try "map: {a: 1}\n".write(toFile: folder + "conf.d/[b].yaml", atomically: false, encoding: .utf8)
            let load = {
                ConfigDocument.load(path: folder + "main.yaml", schema: ConfigTestSchema.schema, environment: [:])
            }
            let document = load()
            #expect(document.report().text() == "")
            #expect(document.root.secret("password").reveal() == "hunter2")
            #expect(document.root.integer("count") == 3)
            #expect(document.files.count == 3)
            try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: secret)
            #expect(load().report().problems.map(\.code) == [.secretWorldReadable])
        }
    }

    /// A link, of the file or of its folder, shows nothing of what it leads to; one that stays inside is followed.
    @Test func anIncludedFileIsInTheFolder() throws {
        try self.withFolder { folder in
            try "hunter2: [\n".write(toFile: folder + "outside", atomically: false, encoding: .utf8)
            let inner = folder + "inner/"
            try FileManager.default.createDirectory(atPath: inner + "conf.d", withIntermediateDirectories: true)
            try "include: [conf.d/*.yaml]\n".write(toFile: inner + "main.yaml", atomically: false, encoding: .utf8)
            try "count: 3\n".write(toFile: inner + "shared", atomically: false, encoding: .utf8)
            let load = {
                ConfigDocument.load(path: inner + "main.yaml", schema: ConfigTestSchema.schema, environment: [:])
            }
            #expect(symlink("../shared", inner + "conf.d/a.yaml") == 0)
            #expect(load().report().isEmpty && load().root.integer("count") == 3)
            #expect(symlink(folder + "outside", inner + "conf.d/b.yaml") == 0)
            let report = load().report()
            #expect(report.problems.map(\.code) == [.includeOutside])
            #expect(!report.text().contains("hunter2"))
            #expect(unlink(inner + "conf.d/b.yaml") == 0 && mkfifo(inner + "conf.d/c.yaml", 0o600) == 0)
            #expect(load().report().problems.map(\.code) == [.unreadableFile])
        }
    }

    @Test func whatIsNoFileIsRefused() throws {
        try self.withFolder { folder in
            let read = { (path: String, limit: Int) throws(ConfigFileError) in
                try ConfigFileSystem.disk.read(folder + path, limit)
            }
            #expect(throws: ConfigFileError.notFound) { try read("nothing", 10) }
            #expect(throws: ConfigFileError.notAFile) { try read("conf.d", 10) }
            try "12345".write(toFile: folder + "five", atomically: false, encoding: .utf8)
            #expect(throws: ConfigFileError.tooLarge) { try read("five", 4) }
            #expect(try read("five", 5) == Array("12345".utf8))
            #expect(mkfifo(folder + "pipe", 0o600) == 0)
            #expect(throws: ConfigFileError.notAFile) { try read("pipe", 10) }
            #expect(ConfigFileSystem.disk.permissions(folder + "nothing") == nil)
            #expect(ConfigFileSystem.disk.find(folder, "f*") == ["five"])
            #expect(ConfigFileSystem.disk.find(folder, "none*") == [])
        }
    }
}
