/// All ways to find a device, in the order in which they are tried.
enum DeviceFinders {
    /// - Parameter configuration: the file that may name devices.
    static func all(configuration: String) -> [any DeviceFinder] {
        [ConfiguredDevices(path: configuration), NetworkDevices(path: configuration)]
    }
}
