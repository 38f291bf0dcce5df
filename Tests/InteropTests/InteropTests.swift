import Testing

/// Castway against the unmodified pychromecast from PyPI, which is what Home Assistant and catt use.
///
/// Every step of a driver is looked at twice: by the sender that acts, and by a witness that is connected to the device
/// that plays. On a relay the witness shows that the far receiver is in the state that the sender is told.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct InteropTests {}
