import CastWire
import GatewayCore
import NIOCore

/// In which namespaces messages of apps are journalled: those that readers name, and for a while those that a reader named
/// that was lost. Knows no clock.
struct MessageInterest {
    /// How many namespaces of lost readers are kept.
    private static let maximumLeft = 1024

    private let age: TimeAmount
    private var readers: [Namespace: Int] = [:]
    private var left: [Namespace: NIODeadline] = [:]
    /// Those of which messages are always journalled.
    var standing: [NamespacePattern] = []

    /// - Parameter age: how long the interest of a lost reader is kept.
    init(age: TimeAmount) {
        self.age = age
    }

    var namespaces: RecordedNamespaces {
        RecordedNamespaces(named: Set(self.readers.keys).union(self.left.keys), standing: self.standing)
    }

    /// Whether time has to pass for something.
    var hasLeft: Bool { !self.left.isEmpty }

    /// A reader comes.
    mutating func add(_ namespaces: Set<Namespace>) {
        for namespace in namespaces { self.readers[namespace, default: 0] += 1 }
    }

    /// A reader is lost.
    mutating func remove(_ namespaces: Set<Namespace>, at now: NIODeadline) {
        for namespace in namespaces {
            let count = (self.readers[namespace] ?? 1) - 1
            self.readers[namespace] = count > 0 ? count : nil
            if count <= 0, self.left[namespace] != nil || self.left.count < Self.maximumLeft {
                self.left[namespace] = now + self.age
            }
        }
    }

    /// Forgets what lost readers named too long ago.
    /// - Returns: whether there are fewer namespaces now.
    mutating func pass(to now: NIODeadline) -> Bool {
        let before = self.left.count
        self.left = self.left.filter { now < $0.value }
        return self.left.count < before
    }
}
