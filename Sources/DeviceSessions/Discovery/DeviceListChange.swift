/// One step from one state of the device list to the next. Applied one after the other to a copy of the list, they make
/// the list what it is; each index is that of its moment.
public enum DeviceListChange: Hashable, Sendable {
    /// Changes follow.
    case willUpdate
    /// A device is new at this index.
    case inserted(DiscoveredDevice, index: Int)
    /// A device says something else; it was at the one index and is at the other now, which are mostly the same.
    case updated(DiscoveredDevice, index: Int, newIndex: Int)
    /// A device is not there any more.
    case removed(DiscoveredDevice, index: Int)
    /// That was all.
    case didUpdate(count: Int)
}
