import Foundation
import Synchronization
import Testing

/// A Python program that uses pychromecast and tells step by step what it sees.
final class Driver {
    /// After this time a driver is killed, whatever it does.
    static let deadline: Duration = .seconds(120)

    private let script: String
    private let process: DriverProcess
    private var lines: AsyncStream<Data>.Iterator

    private init(script: String, process: DriverProcess) {
        self.script = script
        self.process = process
        self.lines = process.lines.makeAsyncIterator()
    }

    /// Runs a driver beside `body`, which follows its steps; the driver has to end by itself when `body` is done.
    static func run(
        _ script: String, senderPort: Int, witnessPort: Int, body: (Driver) async throws -> Void
    ) async throws {
        let process = try DriverProcess(
            python: PythonInterpreter(),
            arguments: [
                PythonInterpreter.drivers.appending(path: script).path, String(senderPort), String(witnessPort),
            ])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { process.kill() }
                try await Task.sleep(for: Self.deadline)  // lint:allow a driver that hangs is ended
            }
            defer {
                process.kill()
                group.cancelAll()
            }
            let driver = Driver(script: script, process: process)
            try await body(driver)
            _ = try await driver.next("end")
            try await driver.end()
        }
    }

    /// The next step, which must have this name.
    func next(_ name: String) async throws -> Step {
        guard let line = await self.lines.next(isolation: #isolation) else {
            throw DriverFailure.ended(before: "\(self.script): \(name)", errors: self.process.errors)
        }
        let step = try Step(text: line)
        guard step.name == name else {
            throw DriverFailure.unexpected(step: "\(self.script): \(step.name)", instead: name)
        }
        #expect(step.late == [], "senders that waited in vain in step \(name): \(step.sightings)")
        return step
    }

    /// The next step, in which pychromecast must not have raised anything.
    func succeed(_ name: String) async throws -> Step {
        let step = try await self.next(name)
        #expect(step.failure == nil, "step \(name)")
        return step
    }

    /// Lets a driver go on that waits for the test.
    func letGoOn() throws {
        try self.process.write("go\n")
    }

    /// Tells a driver what it asks the test for: one line.
    func tell(_ line: String) throws {
        try self.process.write("\(line)\n")
    }

    private func end() async throws {
        while await self.lines.next(isolation: #isolation) != nil {}
        let status = await self.process.status()
        guard status == 0 else { throw DriverFailure.failed(status: status, errors: self.process.errors) }
    }
}
