/// Why a file could not be read.
public enum ConfigFileError: Error, Sendable, Equatable {
    /// There is no such file.
    case notFound
    /// It is a folder, a pipe or a device.
    case notAFile
    /// It has more bytes than the reader takes.
    case tooLarge
    /// The system refuses, in its own words.
    case refused(String)

    /// The reason in the words of a message.
    public var reason: String {
        switch self {
        case .notFound: "no such file"
        case .notAFile: "not a regular file"
        case .tooLarge: "too large"
        case .refused(let words): words
        }
    }
}
