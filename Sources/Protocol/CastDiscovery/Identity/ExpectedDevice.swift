/// The device that a name of the gateway's means: its id, which it keeps whatever its address.
package struct ExpectedDevice: Sendable, Hashable {
    package let id: DeviceID
    /// True if it is a speaker group; nil while that is not known. A group shares its address with the device that leads it, which
    /// may answer with an id of its own.
    package let isGroup: Bool?

    package init(id: DeviceID, isGroup: Bool? = nil) {
        self.id = id
        self.isGroup = isGroup
    }
}

/// The answer of a device that was asked which one it is.
package enum IdentityOutcome: Hashable, Sendable {
    case confirmed
    case other(DeviceID)
    /// A group is meant, one with members answers, and gives the id of the device that leads it.
    case leader(DeviceID)
    /// It does not say, though it answers other questions.
    case silent
}

extension IdentityOutcome {
    /// Returns the reason the one that answers is not to be used; nil when it is.
    /// - Parameter hasConfirmed: whether it has said before that it is the one.
    package func refusal(of expected: ExpectedDevice, hasConfirmed: Bool) -> String? {
        switch self {
        case .confirmed, .leader: nil
        case .other(let id): "another device answers there: its id is \(id), not \(expected.id)"
        case .silent: hasConfirmed ? "the device there does not say any more which one it is" : nil
        }
    }
}

extension ExpectedDevice {
    /// The identity of a device that goes by its id, as devices write it: 32 hexadecimal digits, with or without dashes; nil for any
    /// other name.
    package init?(name: String) {
        guard let id = DeviceID(name), id.text.utf8.count == 32, id.text.allSatisfy(\.isHexDigit) else { return nil }
        self.init(id: id)
    }
}
