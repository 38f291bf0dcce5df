import Glibc

/// The program that runs, and what lies with it.
package enum OwnProgram {
    /// Its path, with all links resolved; empty where `/proc` does not tell.
    package static let path: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    package static var folder: String {
        self.path.lastIndex(of: "/").map { String(self.path[..<$0]) } ?? "."
    }

    /// The checkout that it was built in; nil for a program that lies elsewhere.
    package static var checkout: String? {
        self.path.firstRange(of: "/.build/").map { String(self.path[..<$0.lowerBound]) }
    }
}
