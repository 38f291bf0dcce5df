import CastClient
import NIOCore
import SystemPrimitives

// The times in the terms of what speaks with devices and apps.
extension SessionTimeouts {
    /// The time limits for the start of an app.
    var timing: AppConnection.Timing {
        var timing = AppConnection.Timing()
        timing.start = TimeAmount(self.launch)
        timing.consent = TimeAmount(self.consent)
        return timing
    }

    /// For an app that plays media, whose queues are followed.
    var media: MediaClientOptions {
        MediaClientOptions(answerTimeout: self.answer, loadTimeout: self.load, followsQueues: true)
    }
}
