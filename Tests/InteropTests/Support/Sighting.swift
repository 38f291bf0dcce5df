/// What one sender saw at the end of a step.
struct Sighting: Decodable {
    let appID: String?
    let appName: String?
    let statusText: String?
    let namespaces: [String]
    let volume: Double?
    let isMuted: Bool?
    let playerState: String
    let idleReason: String?
    let mediaSessionID: Int?
    let title: String?
    let contentID: String?
    let contentType: String?
    let streamType: String
    let duration: Double?
    let position: Double?
    let images: [String]
    let commands: Int
    let streamVolume: Double
    let isStreamMuted: Bool
    let rate: Double
    let tracks: [Int]
    let activeTracks: [Int]
    let textColor: String?
    let itemID: Int?
    let repeatMode: String?

    /// The bits of `supportedMediaCommands` (protocol notes, 6.4).
    enum Command: Int {
        case pause = 1
        case seek = 2
        case streamVolume = 4
        case streamMute = 8
        case queueNext = 64
        case queuePrevious = 128
        case editTracks = 4096
        case playbackRate = 8192
    }

    func supports(_ commands: Command...) -> Bool {
        commands.allSatisfy { self.commands & $0.rawValue != 0 }
    }
}
