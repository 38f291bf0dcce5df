package import CastWire
package import NIOCore
import Synchronization

/// Tells the times of day of instants of the event loops' clock.
///
/// The same instant always has the same time, as long as the clock of the day is not set; then all times follow it. So a
/// machine that learns the time late shows no connection that is older than the gateway.
final class InstantTimes: Sendable {
    /// By how many seconds both clocks may differ before that of the day was set.
    private static let tolerance: Int64 = 2

    private let anchor = Mutex<(instant: NIODeadline, seconds: Int64)?>(nil)

    /// The time of an instant, in seconds since 1970.
    /// - Parameters:
    ///   - now: the instant that it is.
    ///   - seconds: the time that it is, in seconds since 1970.
    func seconds(of instant: NIODeadline, now: NIODeadline, seconds: Int64) -> Int64 {
        let anchor = self.anchor.withLock { anchor in
            if let known = anchor {
                let expected = known.seconds &+ Self.seconds(now - known.instant)
                if (expected &- seconds).magnitude <= Self.tolerance { return known }
            }
            anchor = (now, seconds)
            return (now, seconds)
        }
        return anchor.seconds &+ Self.seconds(instant - anchor.instant)
    }

    private static func seconds(_ time: TimeAmount) -> Int64 {
        Int64((Double(time.nanoseconds) / 1e9).rounded(.down))
    }
}

extension GatewayContext {
    /// The time of an instant of the event loops' clock, in seconds since 1970.
    package func seconds(of instant: NIODeadline) -> Int {
        Int(clamping: self.instants.seconds(of: instant, now: .now(), seconds: self.wallClock()))
    }

    /// The time of an instant of the event loops' clock, in seconds since 1970.
    package func time(of instant: NIODeadline) -> JSONValue { .number(self.seconds(of: instant)) }
}
