/// What is heard from a plugin's process.
enum SubjectSound {
    /// A line, without its newline.
    case line([UInt8])
    /// It closed its side, perhaps in the middle of a line, which is given.
    case closed(rest: [UInt8])
    /// Nothing in the time that was allowed.
    case silence
}
