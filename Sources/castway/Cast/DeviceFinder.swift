/// Finds a device by its name or id.
protocol DeviceFinder {
    /// Looks for a device.
    /// - Parameters:
    ///   - name: What people call it, or its id; letters count alike, large or small.
    ///   - timeout: How long the search may take.
    /// - Returns: where it answers; nil when it is not there.
    func find(_ name: String, timeout: Duration) async throws -> CastPlace?
}
