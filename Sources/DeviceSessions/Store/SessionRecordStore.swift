/// Where sessions are written down. Nothing here waits: what is asked for is done in order, behind the caller's back.
public protocol SessionRecordStore: Sendable {
    /// Writes a session down, in the place of what was written of its device.
    func save(_ record: SessionRecord)

    /// Strikes out what was written of a device.
    func remove(device: String)

    /// Everything that is written down; blocks.
    /// - Throws: when nothing can be read.
    func load() throws -> [SessionRecord]

    /// Waits until everything that was asked for is on disk, or has failed.
    func settle() async
}
