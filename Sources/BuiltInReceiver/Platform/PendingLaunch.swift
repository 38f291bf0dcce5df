import CastWire
import NIOCore

/// A launch that is under way: the app is loading, or the device's user is being asked.
struct PendingLaunch {
    /// One LAUNCH that waits for the app.
    struct Waiter {
        /// Who waits.
        let requester: Requester
        /// The request's id; nil when nobody expects an answer.
        let requestID: RequestID?
    }

    /// How many LAUNCHes of one app may wait together.
    static let maximumWaiters = 32

    /// What will run.
    let app: AppProfile
    /// The kind of app that was asked for.
    let kind: VirtualAppConfiguration.Kind
    /// How it will end.
    let plan: LaunchPlan
    /// What the first LAUNCH handed over.
    let parameters: LaunchParameters
    /// When it ends.
    let deadline: NIODeadline
    /// Who asked, the first one first.
    var waiters: [Waiter]
}
