import CastWire
import GatewayCore
import Synchronization

/// A filter of the far gateway that writes down each numbered request as it comes from the near one.
final class RequestProbe: MessageHandler {
    /// What was done to a request on its way.
    struct Sighting: Equatable {
        let number: Int
        /// Whether the near gateway's media handler mended it, which it does to an `autoplay` in quotes.
        var isMended = false
        /// Whether it brings credentials.
        var hasCredentials = false
        /// Whether a plugin left its mark.
        var hasPassedPlugin = false
    }

    let name = "probe"
    let claims = [Claim(.exact(.receiver), phase: .filter), Claim(.exact(.media), phase: .filter)]
    private let seen = Mutex<[Sighting]>([])

    /// All numbered requests so far, in order.
    var sightings: [Sighting] { self.seen.withLock { $0 } }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        guard let json = message.message.payload.jsonObject, let number = json.int("number") else { return .pass }
        let item = json.array("items")?.first?.objectValue
        let sighting = Sighting(
            number: number, isMended: item?["autoplay"] == true,
            hasCredentials: ReceiverRequest(message.message.payload)?.credentials != nil,
            hasPassedPlugin: json["film"] != nil)
        self.seen.withLock { $0.append(sighting) }
        return .pass
    }
}

/// How the requests of `switching.py` were answered.
struct SwitchedRequests: Decodable {
    struct Answer: Decodable {
        let number: Int
        let type: String
    }

    let sent: Int
    let lost: [Int]
    let doubled: [Int]
    let answersFile: String
    let calms: [[Int]]
    let isUntouched: Bool

    /// The numbers that were sent while nothing changed, of the time before the first change or behind a later one.
    func calm(_ index: Int) -> Range<Int> { self.calms[index][0]..<self.calms[index][1] }
}
