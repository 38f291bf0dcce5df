import Foundation
import GatewayCore
import NIOCore
import NIOPosix
import PluginHosting

/// Says what one hop to a handler and back costs: one JSON object a line for every round, subject and depth.
///
/// `PluginBenchmark FOLDER ROOT [ROUNDS [NAME]]`: a folder for files, and the package's. The programs are beside this one.
/// With a name that subject alone is measured, for a profile.
@main
enum PluginBenchmark {
    private static let depths = [(depth: 1, count: 4_000), (depth: 32, count: 40_000)]

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            FileHandle.standardError.write(Data("usage: PluginBenchmark FOLDER ROOT [ROUNDS]\n".utf8))
            exit(64)
        }
        try await Self.run(
            folder: URL(filePath: arguments[1]), root: URL(filePath: arguments[2]),
            rounds: arguments.count > 3 ? Int(arguments[3]) ?? 9 : 9, only: arguments.count > 4 ? arguments[4] : nil)
    }

    private static func run(folder: URL, root: URL, rounds: Int, only: String?) async throws {
        let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        // The gateway has a loop for each core, and a plugin's wire lives on any of them.
        let own = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let other = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = own.next()
        let bare = try await BareEcho.start(program: products.appending(path: "bare-echo"), on: loop)
        let builtIn = HandlerRegistry()
        try builtIn.replaceAll(with: [EchoHandler()])
        let swift = products.appending(path: "bench-echo")
        let python = root.appending(path: "Benchmarks/plugins/python/echo.py")
        let kit = root.appending(path: "Plugins/python/castway.py")
        let plugins: [(String, PluginUnderTest)] = try [
            ("library", .module(products.appending(path: "libBenchEchoModule.so")), own),
            ("Swift process", .process(swift, beside: []), own),
            ("Swift process, wire on another loop", .process(swift, beside: []), other),
            ("Python process", .process(python, beside: [kit]), own),
        ].map { (name: String, program: PluginUnderTest.Program, group: MultiThreadedEventLoopGroup) in
            let id = "bench.\(name.lowercased().filter { $0.isLetter })"
            return (name, try PluginUnderTest(id, program, in: folder, products: products, eventLoops: group))
        }
        try await withThrowingDiscardingTaskGroup { group in
            var subjects: [any Subject] = [
                bare, try await RoutedHop("built-in handler", registry: builtIn, on: loop),
            ]
            for (name, plugin) in plugins where only.map({ $0 == name }) ?? true {
                group.addTask { await plugin.service.run() }
                do {
                    try await plugin.untilReady()
                    subjects.append(try await RoutedHop(name, registry: plugin.registry, on: loop))
                } catch {
                    FileHandle.standardError.write(Data("\(name) is left out: \(error)\n".utf8))
                }
            }
            if let only { subjects.removeAll { $0.name != only } }
            for (depth, count) in Self.depths {
                for subject in subjects { _ = try await subject.run(depth: depth, count: count / 10) }
            }
            for _ in 0..<rounds {
                for (depth, count) in Self.depths {
                    for subject in subjects {
                        Self.report(subject, depth, try await subject.run(depth: depth, count: count))
                    }
                }
            }
            group.cancelAll()
        }
        try await bare.stop()
    }

    private static func report(_ subject: any Subject, _ depth: Int, _ round: Round) {
        let (p50, p99) = (round.percentile(0.5), round.percentile(0.99))
        print(
            #"{"name":"\#(subject.name)","depth":\#(depth),"p50_us":\#(p50),"p99_us":\#(p99),"per_second":\#(round.perSecond)}"#
        )
        fflush(nil)
    }
}
