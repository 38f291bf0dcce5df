package import CastWire
import NIOCore

/// Keeps what built-in receivers run beyond the end of the gateway. Called on event loops; nothing may block.
package protocol ReceiverRecords: Sendable {
    /// Hands out what a device ran when the gateway ended; nil when nothing is kept. The second call gives nil.
    func take(device: String) -> JSONObject?

    /// Keeps what a device runs now in the place of what was kept before; nil when it runs nothing.
    func keep(_ record: JSONObject?, of device: String)

    /// Keeps the same for the last time, since the device stops. One that goes away while the gateway runs on leaves nothing.
    func end(_ record: JSONObject?, of device: String)
}

/// Writes down what one receiver runs: soon after it has changed and, since positions move on by themselves, now and then while it
/// plays. Lives on the receiver's event loop.
final class RecordKeeper {
    /// The least time between two records.
    private static let pause = TimeAmount.seconds(5)
    /// After so much time the position of what plays is written anew.
    private static let playingPause = TimeAmount.seconds(30)
    /// The delay of writes, so that changes come in groups.
    private static let delay = TimeAmount.milliseconds(200)

    private let records: any ReceiverRecords
    private let device: String
    private let eventLoop: any EventLoop
    /// Calls ``keep(_:isPlaying:)`` with what there is then; nil before the receiver works, and afterwards.
    private var write: (@Sendable () -> Void)?
    private var timer: Scheduled<Void>?
    private var deadline = NIODeadline.distantFuture
    private var lastTime: NIODeadline?
    private var isEmpty = true

    init(_ records: any ReceiverRecords, device: String, eventLoop: any EventLoop) {
        self.records = records
        self.device = device
        self.eventLoop = eventLoop
    }

    /// Begins to work.
    /// - Parameter write: calls ``keep(_:isPlaying:)`` with what runs then.
    /// - Returns: what the device ran when the gateway ended.
    func begin(_ write: @escaping @Sendable () -> Void) -> JSONObject? {
        self.write = write
        let record = self.records.take(device: self.device)
        if record != nil { self.isEmpty = false }
        return record
    }

    func changed() {
        let now = self.eventLoop.now
        self.schedule(at: max(now + Self.delay, self.lastTime.map { $0 + Self.pause } ?? now))
    }

    /// Writes down what runs now.
    func keep(_ record: JSONObject?, isPlaying: Bool) {
        self.deadline = .distantFuture
        self.lastTime = self.eventLoop.now
        if record != nil || !self.isEmpty { self.records.keep(record, of: self.device) }
        self.isEmpty = record == nil
        if isPlaying { self.schedule(at: self.eventLoop.now + Self.playingPause) }
    }

    func end(_ record: JSONObject?) {
        self.timer?.cancel()
        self.write = nil
        if record != nil || !self.isEmpty { self.records.end(record, of: self.device) }
    }

    private func schedule(at deadline: NIODeadline) {
        guard deadline < self.deadline, let write else { return }
        self.timer?.cancel()
        self.deadline = deadline
        self.timer = self.eventLoop.scheduleTask(deadline: deadline, write)
    }
}
