import GatewayConfig
import Glibc
import SystemPrimitives

/// The event devices of the machine: finding and opening them. Everything here is quick, and waits for nothing.
public struct InputDevices: Sendable {
    /// Why an event device cannot be read.
    public enum Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// There is none.
        case missing(String)
        /// The process may not.
        case denied(String)
        /// It is something else.
        case unfit(String)

        /// What is wrong, in half a sentence.
        public var description: String {
            switch self {
            case .missing(let what): "there is no \(what)"
            case .denied(let path): "\(path) may not be read"
            case .unfit(let reason): reason
            }
        }
    }

    /// The most event devices that a name means.
    static let limit = 16

    /// What stands for `/`.
    let root: String

    /// Looks at the machine.
    /// - Parameter root: what stands for `/`.
    public init(root: String = "") {
        self.root = root
    }

    /// The paths that are meant, in the order of their names; those of a name only as far as there are some.
    /// - Throws: ``Fault/missing(_:)`` when a name means none.
    public func paths(of keys: HostKeysConfiguration) throws(Fault) -> [String] {
        if let input = keys.input { return [input] }
        let pattern = keys.inputName ?? Glob("")
        let devices = Self.entries(of: "\(self.root)/sys/class/input").filter { entry in
            guard entry.hasPrefix("event"), let name = self.name(of: entry) else { return false }
            return pattern.matches(name)
        }
        guard !devices.isEmpty else { throw .missing("input device called '\(pattern)'") }
        return devices.prefix(Self.limit).map { "\(self.root)/dev/input/\($0)" }
    }

    private func name(of entry: String) -> String? {
        guard let descriptor = try? Self.open("\(self.root)/sys/class/input/\(entry)/device/name") else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { bytes in
            let count = read(descriptor, bytes.baseAddress, bytes.count)
            guard count > 0 else { return nil }
            let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<count]), as: UTF8.self)
            return text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
    }

    private static func entries(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < 1024, let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        // event10 behind event9.
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    /// Opens an event device, or a FIFO, for reading without waiting. The caller closes it.
    /// - Throws: why it cannot be read.
    public func open(_ path: String) throws(Fault) -> CInt {
        let descriptor = try Self.open(path)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw .unfit("\(path) says nothing of itself")
        }
        switch status.st_mode & S_IFMT {
        case S_IFCHR where Self.isEventDevice(descriptor): return descriptor
        case S_IFIFO:
            // Open for writing too, a FIFO does not end when the programs have gone that wrote to it.
            let lasting = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard lasting >= 0 else { return descriptor }
            close(descriptor)
            return lasting
        default:
            close(descriptor)
            throw .unfit("\(path) is no event device, and no FIFO")
        }
    }

    /// Whether a device says which version of `linux/input.h` it speaks. Others may be such that an event loop cannot wait for them:
    /// `/dev/null` cannot be waited for at all.
    private static func isEventDevice(_ descriptor: CInt) -> Bool {
        // EVIOCGVERSION, which is _IOR('E', 1, int).
        let getVersion: UInt = 0x8004_4501
        var version: CInt = 0
        return ioctl(descriptor, getVersion, &version) == 0
    }

    private static func open(_ path: String) throws(Fault) -> CInt {
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor < 0 else { return descriptor }
        switch errno {
        case ENOENT, ENODEV, ENXIO: throw .missing(path)
        case EACCES, EPERM: throw .denied(path)
        default: throw .unfit("\(path): \(String(cString: strerror(errno)))")
        }
    }
}
