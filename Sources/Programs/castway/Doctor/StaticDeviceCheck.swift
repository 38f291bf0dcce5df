import CastClient
import CastDiscovery
import CastTransport
import CastWire
import GatewayConfig
import GatewaySettings
import NIOCore
import NIOPosix

/// Whether the devices of `discovery.static` can be reached and speak TLS; all at once.
struct StaticDeviceCheck: DoctorCheck {
    /// What dialling a device came to.
    enum Outcome: Sendable, Equatable {
        case reached
        /// TCP stands; TLS does not.
        case withoutTLS(String)
        case unreachable(String)
    }

    let devices: [StaticDevice]
    let timeout: Duration

    let name = "static devices"

    func findings() async -> [DoctorFinding] {
        guard !self.devices.isEmpty else { return .ok("discovery.static", "none") }
        return await withTaskGroup(of: (Int, DoctorFinding).self) { group in
            for (index, device) in self.devices.enumerated() { group.addTask { (index, await self.finding(device)) } }
            var findings: [(Int, DoctorFinding)] = []
            for await finding in group { findings.append(finding) }
            return findings.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func finding(_ device: StaticDevice) async -> DoctorFinding {
        let subject = "\(device.name) at \(device.address)"
        let outcome = await TLSProbe(timeout: self.timeout).outcome(
            host: device.address.host, port: device.address.port)
        switch outcome {
        case .reached: return await self.identityFinding(device, subject)
        case .withoutTLS(let reason):
            return .fail(
                subject, "answers, and does not speak TLS: \(reason)",
                advice: "is it a Cast device, and the port that of its Cast channel (mostly 8009)?")
        case .unreachable(let reason):
            return .warn(
                subject, "not reached: \(reason)",
                advice: "is it switched on, and still at this address? castway goes on trying")
        }
    }

    /// Whether the one that answers is the device that the id means.
    private func identityFinding(_ device: StaticDevice, _ subject: String) async -> DoctorFinding {
        guard let id = device.id.flatMap({ DeviceID($0) }) else { return .ok(subject, "answers, and speaks TLS") }
        switch await self.identity(at: device.address, ExpectedDevice(id: id)) {
        case .confirmed?, .leader?: return .ok(subject, "answers, and is the device that its id says")
        case .other(let other)?:
            return .fail(
                subject, "another device answers there: its id is \(other), not \(id)",
                advice: "nothing is sent to it; correct the address, or the id, by what castway devices shows")
        case .silent?, nil:
            return .warn(
                subject, "answers, and does not say which device it is",
                advice: "it is used all the same, unless it has said so before; is it the one that is meant?")
        }
    }

    /// Nil when the device answers nothing at all.
    private func identity(at address: DialAddress, _ expected: ExpectedDevice) async -> IdentityOutcome? {
        let options = SenderOptions(connectTimeout: self.timeout, answerTimeout: self.timeout)
        guard let device = try? await RemoteDevice.connect(host: address.host, port: address.port, options: options)
        else { return nil }
        let outcome = await device.identity(expected)
        await device.close()
        return outcome
    }
}

/// Dials a device, and hangs up as soon as TLS stands.
struct TLSProbe: Sendable {
    /// How long TCP and TLS may take together.
    let timeout: Duration

    func outcome(host: String, port: Int) async -> StaticDeviceCheck.Outcome {
        let time = TimeAmount(self.timeout)
        let pipeline = CastPipeline(
            role: .sender, heartbeat: .init(interval: .seconds(60), timeout: .seconds(120)), handshakeTimeout: time)
        let dialer: CastDialer
        do {
            dialer = try CastDialer(pipeline: pipeline, timeout: time)
        } catch {
            return .withoutTLS("\(error)")
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let outcome = loop.flatSubmit {
            let promise = loop.makePromise(of: StaticDeviceCheck.Outcome.self)
            let owner = TLSProbeOwner(promise)
            let bound = NIOLoopBound(owner, eventLoop: loop)
            dialer.dial(host: host, port: port, on: loop, delegate: owner).whenComplete { result in
                switch result {
                case .success: bound.value.isConnected = true
                case .failure(let error): promise.succeed(.unreachable(TransportError.text(of: error)))
                }
            }
            let late = loop.scheduleTask(in: time) {
                let reason = "no answer in time"
                promise.succeed(bound.value.isConnected ? .withoutTLS(reason) : .unreachable(reason))
            }
            promise.futureResult.whenComplete { _ in late.cancel() }
            return promise.futureResult
        }
        return (try? await outcome.get()) ?? .unreachable("it could not be tried")
    }
}

/// The owner of one probing channel.
final class TLSProbeOwner: CastConnectionDelegate {
    private let promise: EventLoopPromise<StaticDeviceCheck.Outcome>
    /// Whether TCP stands; a name with several addresses has channels that end before.
    var isConnected = false

    init(_ promise: EventLoopPromise<StaticDeviceCheck.Outcome>) { self.promise = promise }

    func connectionReady(_ connection: CastConnection) {
        self.promise.succeed(.reached)
        connection.close("it was only to be seen whether it answers")
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {}

    func connectionReadComplete(_ connection: CastConnection) {}

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        guard self.isConnected else { return }
        self.promise.succeed(.withoutTLS(reason?.description ?? "it hung up"))
    }
}
