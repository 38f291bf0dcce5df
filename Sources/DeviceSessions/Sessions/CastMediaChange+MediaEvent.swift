import CastClient
import CastWire
import GatewayCore

extension CastMediaChange {
    /// A media client's event as the event bus carries it; nil for one that is the client's own affair.
    init?(_ event: MediaEvent, queue: MediaQueue) {
        switch event {
        case .status(let snapshot): self = .status(snapshot.status?.json)
        case .metadata(let media): self = .metadata(media?.json)
        case .sessionStarted(let id): self = .started(mediaSessionID: id)
        case .sessionEnded(let id, let reason): self = .ended(mediaSessionID: id, reason: reason?.rawValue)
        case .preload(let itemID): self = .preload(itemID: itemID)
        case .queue: self = .queue(itemIDs: queue.itemIDs)
        case .error(let error): self = .failed(code: error.code, reason: error.message)
        case .availability, .settled, .message: return nil
        }
    }
}
