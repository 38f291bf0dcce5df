import GatewayCore
import NIOCore
import Testing

@Suite struct PlaybackSpanTests {
    @Test func aStateBeginsWhenItIsAnother() {
        let start = NIODeadline.uptimeNanoseconds(0)
        var span = PlaybackSpan()
        #expect(span.since == nil)
        // What happens, and since when it is as it is then.
        let steps: [(session: Int?, state: String, item: Int?, since: Int64?)] = [
            (1, "BUFFERING", 1, 0), (1, "PLAYING", 1, 1), (1, "PLAYING", 1, 1), (1, "PAUSED", 1, 3),
            (1, "PLAYING", 1, 4),
            (1, "PLAYING", 2, 5), (2, "PLAYING", 2, 6), (nil, "IDLE", nil, nil), (nil, "IDLE", nil, nil),
            (2, "PLAYING", 2, 9),
        ]
        for (second, step) in steps.enumerated() {
            span.note(
                session: step.session, state: step.state, item: step.item, at: start + .seconds(Int64(second)))
            #expect(span.since == step.since.map { start + .seconds($0) }, "\(second)")
        }
    }
}
