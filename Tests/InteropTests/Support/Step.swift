import Foundation
import Testing

/// One line of a driver: what was done, and what every sender saw then.
struct Step {
    private struct Line: Decodable {
        let step: String
        let late: [String]?
        let failure: String?
        let sightings: [String: Sighting]?
    }

    private struct WithDetails<Details: Decodable>: Decodable {
        let details: Details
    }

    private let text: Data
    private let line: Line

    init(text: Data) throws {
        self.text = text
        self.line = try JSONDecoder().decode(Line.self, from: text)
    }

    var name: String { self.line.step }
    /// The senders that waited in vain for what should have followed.
    var late: [String] { self.line.late ?? [] }
    /// The error that pychromecast raised, by its class.
    var failure: String? { self.line.failure }
    var sightings: [String: Sighting] { self.line.sightings ?? [:] }

    /// What the driver found out besides.
    func details<Details: Decodable>(_ type: Details.Type) throws -> Details {
        try JSONDecoder().decode(WithDetails<Details>.self, from: self.text).details
    }

    /// What one sender saw.
    func seen(by sender: String) throws -> Sighting {
        try #require(self.sightings[sender], "'\(sender)' says nothing in step \(self.name)")
    }

    /// Expects the same of every sender.
    func expect<Value: Equatable & Sendable>(
        _ path: KeyPath<Sighting, Value>, _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (sender, sighting) in self.sightings {
            #expect(
                sighting[keyPath: path] == value, "\(sender), step \(self.name)", sourceLocation: sourceLocation)
        }
    }

    /// Expects something of every sender.
    func expect(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ isTrue: (Sighting) -> Bool
    ) {
        for (sender, sighting) in self.sightings {
            let holds = isTrue(sighting)
            #expect(holds, "\(what): \(sender), step \(self.name): \(sighting)", sourceLocation: sourceLocation)
        }
    }
}
