/// A pointer of Avahi's on its way to the Avahi thread.
///
/// `@unchecked Sendable`: it is looked at on that thread only.
struct AvahiHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
