/// What a changed key does to a running gateway when it is reloaded. Raw values are printed and never change.
public enum ReloadClass: String, Sendable, Hashable, CaseIterable {
    /// In force at once; every connection and session stays.
    case hot
    /// A new address is listened on before the old one is given up; established connections stay.
    case listener
    /// The connection to a real device is made, moved or ended.
    case device
    /// A plugin is started, replaced or told; connections and sessions stay.
    case plugin
    /// Connections made from now on follow it; those that stand keep what they have.
    case newConnections = "new-connections"
    /// The reload is refused: the gateway has to be started again.
    case restart
}
