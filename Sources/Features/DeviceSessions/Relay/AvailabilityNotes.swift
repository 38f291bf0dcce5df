import CastWire
import GatewayCore

/// The apps that senders were not told that the device has, and the senders that have to ask again.
///
/// Chromium asks once per channel and app, and takes the answer for the channel's life. An answer that was given in the
/// device's place, or by a device that was another or knew less then, would hide the device from it for good: a sender
/// that heard a wrong one, or that it is not known, asks again when its channel is closed.
struct AvailabilityNotes {
    /// More apps than a sender has pages for; what it is told of further ones is not kept.
    private static let maximumApps = 64

    private var missing: [ConnectionID: Set<AppID>] = [:]
    /// The part of ``missing`` that the device has after all, and that the sender has not asked about since.
    private var wrong: [ConnectionID: Set<AppID>] = [:]
    /// The channels whose senders have to ask again.
    var outdated: Dictionary<ConnectionID, Set<AppID>>.Keys { self.wrong.keys }

    /// Takes an answer that a sender is given.
    mutating func told(_ answer: AppAvailability, to connection: ConnectionID) {
        var apps = self.missing[connection] ?? []
        apps.subtract(answer.availableApps)
        for app in answer.missingApps {
            guard apps.count < Self.maximumApps, app.rawValue.utf8.count <= AppAvailability.maximumIDLength else {
                continue
            }
            apps.insert(app)
        }
        self.missing[connection] = apps.isEmpty ? nil : apps
        // It has asked again by itself.
        let wrong = self.wrong[connection]?.subtracting(answer.availableApps).subtracting(answer.missingApps)
        self.wrong[connection] = wrong?.isEmpty == true ? nil : wrong
    }

    /// The apps that senders do not believe that the device has.
    var missingApps: Set<AppID> { self.missing.values.reduce(into: []) { $0.formUnion($1) } }

    /// The device has these apps: a sender that was told otherwise has to ask again.
    mutating func learned(available: Set<AppID>) {
        for (connection, apps) in self.missing where !apps.isDisjoint(with: available) {
            self.wrong[connection, default: []].formUnion(apps.intersection(available))
        }
    }

    /// Another device takes the place of this one: senders that were told anything have to ask again.
    mutating func learnedNothingHolds() {
        self.wrong.merge(self.missing) { $0.union($1) }
    }

    /// The sender's channel is gone, or about to go.
    mutating func forget(_ connection: ConnectionID) {
        self.missing[connection] = nil
        self.wrong[connection] = nil
    }
}
