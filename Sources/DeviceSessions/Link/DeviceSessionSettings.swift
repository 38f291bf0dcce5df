/// What a device's session follows; taken anew with each configuration.
struct DeviceSessionSettings {
    var dialer: any DeviceDialer
    var backoff: Backoff
    var sessions = SessionsConfiguration()
}
