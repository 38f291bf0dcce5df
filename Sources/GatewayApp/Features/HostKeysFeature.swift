import CastWire
import GatewayConfig
import GatewayOperations
import Glibc
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Keys of the gateway's machine: volume keys change the volume of a device, media keys control what it plays.
///
/// Nothing is opened without `keys` in `gateway.yaml`. An event device that disappears, as one on Bluetooth does, is looked for until it
/// is back; what cannot be read is logged once, and told by `castway status`.
final class HostKeysFeature: GatewayFeature, Service, CustomStringConvertible {
    let name = "host keys"

    /// An event device that is read, and what for.
    private struct Reading: Hashable {
        let keys: HostKeysConfiguration
        let path: String
    }

    private struct State {
        var keys: [HostKeysConfiguration]
        /// What is read now, or being opened.
        var taken: Set<Reading> = []
        /// The channels of what is read.
        var open: [Reading: any Channel] = [:]
        /// Why keys are not read at the moment.
        var faults: [HostKeysConfiguration: InputDevices.Fault] = [:]
    }

    /// How many records of an event device wait at most for the gateway, in bytes.
    private static let readBytes = 64 * InputEventDecoder.recordLength

    private let state: Mutex<State>
    private let devices: InputDevices
    private let group: any EventLoopGroup
    private let context: GatewayContext
    private let logger: Logger
    private let pause: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - devices: those of the machine.
    ///   - pause: waits until event devices that are not there are looked for again.
    init(
        _ context: GatewayContext, devices: InputDevices = InputDevices(),
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(2)) }
    ) {
        self.context = context
        self.state = Mutex(State(keys: context.configuration.current.hostKeys))
        self.devices = devices
        self.group = context.eventLoops
        self.logger = context.makeLogger("Keys")
        self.pause = pause
    }

    private let actions = Mutex<KeyActions?>(nil)

    var description: String { self.name }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        let catalogue = GatewayFeatures.catalogue(of: features, context: self.context)
        self.use(
            KeyActions { name, input in
                await catalogue.call(name, input, for: KeyActions.caller).map(\.body)
            })
        return [StagedService(.devicesListening, self)]
    }

    /// Says what keys do; before the service runs.
    func use(_ actions: KeyActions) { self.actions.withLock { $0 = actions } }

    var warnings: [GatewayWarning] {
        get async {
            let faults = self.state.withLock { state in
                state.keys.compactMap { key in state.faults[key].map { (key, $0) } }
            }
            return faults.map { keys, fault in
                GatewayWarning(.keysUnusable, "keys for '\(keys.device)' are not read: \(fault)")
            }
        }
    }

    func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new.hostKeys
        guard change.old.hostKeys != new else { return nil }
        return PreparedChange(commit: { self.configure(new) })
    }

    private func configure(_ keys: [HostKeysConfiguration]) {
        let ended = self.state.withLock { state in
            state.keys = keys
            state.faults = state.faults.filter { keys.contains($0.key) }
            return state.open.filter { !keys.contains($0.key.keys) }.map(\.value)
        }
        for channel in ended { channel.close(promise: nil) }
    }

    // MARK: Reading

    func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                repeat {
                    for reading in self.missing() { group.addTask { await self.read(reading) } }
                    do { try await self.pause() } catch { break }
                } while !Task.isCancelled
                group.cancelAll()
            }
        }
    }

    /// What is to be read and is not yet; it counts as being read from now on.
    private func missing() -> [Reading] {
        var missing: [Reading] = []
        for keys in self.state.withLock({ $0.keys }) {
            do throws(InputDevices.Fault) {
                let readings = try self.devices.paths(of: keys).map { Reading(keys: keys, path: $0) }
                missing += self.state.withLock { state in
                    readings.filter { state.keys.contains(keys) && state.taken.insert($0).inserted }
                }
            } catch {
                self.note(error, of: keys)
            }
        }
        return missing
    }

    private func read(_ reading: Reading) async {
        defer {
            self.state.withLock { state in
                state.open[reading] = nil
                state.taken.remove(reading)
            }
        }
        do throws(InputDevices.Fault) {
            let descriptor = try self.devices.open(reading.path)
            self.note(nil, of: reading.keys)
            await self.read(reading, descriptor)
        } catch {
            self.note(error, of: reading.keys)
        }
    }

    private func read(_ reading: Reading, _ descriptor: CInt) async {
        let metadata: Logger.Metadata = ["input": "\(reading.path)", "device": "\(reading.keys.device)"]
        let channel: NIOAsyncChannel<ByteBuffer, Never>
        do {
            channel = try await NIOPipeBootstrap(group: self.group.next())
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
                .channelOption(.maxMessagesPerRead, value: 1)
                .takingOwnershipOfDescriptor(input: descriptor) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel(
                            wrappingChannelSynchronously: channel,
                            configuration: NIOAsyncChannel.Configuration(
                                backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4)))
                    }
                }
        } catch {
            Glibc.close(descriptor)
            return self.note(.unfit("\(reading.path): \(error)"), of: reading.keys)
        }
        let isWanted = self.state.withLock { state in
            state.open[reading] = channel.channel
            return state.keys.contains(reading.keys)
        }
        if !isWanted { channel.channel.close(promise: nil) }
        self.logger.debug("Keys are read", metadata: metadata)
        let presses = PressQueue(step: reading.keys.step)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.act(on: presses, metadata, device: reading.keys.device) }
            // An event device that is taken away ends the channel with an error.
            try? await channel.executeThenClose { inbound in
                var decoder = InputEventDecoder()
                for try await bytes in inbound {
                    for press in decoder.read(bytes) { presses.put(press.key) }
                }
            }
            presses.finish()
        }
        self.logger.debug("Keys are not read any more", metadata: metadata)
    }

    private func act(on presses: PressQueue, _ metadata: Logger.Metadata, device: String) async {
        guard let actions = self.actions.withLock({ $0 }) else { return }
        for await _ in presses.news {
            while let wish = presses.next() {
                guard let problem = await actions.perform(wish, on: device) else { continue }
                self.logger.info(
                    "A key did nothing",
                    metadata: metadata.merging(["code": "\(problem.code)", "reason": "\(problem.detail)"]) { $1 })
            }
        }
    }

    /// Remembers why keys are not read, and logs it when it is news.
    private func note(_ fault: InputDevices.Fault?, of keys: HostKeysConfiguration) {
        let isNew = self.state.withLock { state in
            guard state.keys.contains(keys) else { return false }
            defer { state.faults[keys] = fault }
            return state.faults[keys] != fault
        }
        guard isNew, let fault else { return }
        let advice =
            if case .denied = fault { "the gateway's user has to be in the group that owns it, mostly 'input'" } else {
                "it is looked for until it is there"
            }
        self.logger.warning(
            "Keys are not read",
            metadata: ["device": "\(keys.device)", "reason": "\(fault)", "advice": "\(advice)"])
    }
}

/// The presses of one event device, between the task that reads them and the one that acts.
private final class PressQueue: Sendable {
    /// An element when there are presses.
    let news: AsyncStream<Void>
    private let input: AsyncStream<Void>.Continuation
    private let presses: Mutex<KeyPresses>

    init(step: Double) {
        (self.news, self.input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.presses = Mutex(KeyPresses(step: step))
    }

    func put(_ key: HostKey) {
        self.presses.withLock { $0.press(key) }
        self.input.yield()
    }

    func next() -> KeyPresses.Wish? { self.presses.withLock { $0.next() } }

    func finish() { self.input.finish() }
}
