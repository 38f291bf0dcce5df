import FuzzTargets
import Glibc

/// One program for all targets: `castway-fuzz TARGET [options of libFuzzer] [folders or files]`.
@main enum Runner {
    /// libFuzzer without its own `main`; it calls back with each input.
    @_silgen_name("LLVMFuzzerRunDriver")
    private static func drive(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt

    /// Set once, before the first input; libFuzzer's callback can hold nothing.
    nonisolated(unsafe) private static var target: any FuzzTarget.Type = JSONTarget.self

    /// Tells the processes that libFuzzer starts, for merging, which target it is.
    private static let variable = "CASTWAY_FUZZ_TARGET"

    static func main() {
        let inherited = getenv(Self.variable).map { String(cString: $0) }
        let isStartedByHand = CommandLine.argc > 1 && !CommandLine.arguments[1].hasPrefix("-")
        let name = isStartedByHand ? CommandLine.arguments[1] : inherited
        guard let name else { return print(FuzzTargets.all.map { $0.name }.joined(separator: "\n")) }
        guard let target = FuzzTargets.named(name) else {
            print("there is no target '\(name)'")
            exit(2)
        }
        Self.target = target
        setenv(Self.variable, name, 1)
        // The target's name is no file: it makes way for the program's.
        var count = CommandLine.argc - (isStartedByHand ? 1 : 0)
        var arguments = CommandLine.unsafeArgv + (isStartedByHand ? 1 : 0)
        arguments[0] = CommandLine.unsafeArgv[0]
        exit(
            Self.drive(&count, &arguments) { bytes, length in
                Runner.run(Array(UnsafeBufferPointer(start: bytes, count: length)))
                return 0
            })
    }

    private static func run(_ input: [UInt8]) {
        do {
            try self.target.run(input)
        } catch {
            let text = Array("\(self.target.name): \(error)\n".utf8)
            _ = write(STDERR_FILENO, text, text.count)
            abort()
        }
    }
}
