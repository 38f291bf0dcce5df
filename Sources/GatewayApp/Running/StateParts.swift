public import CastIdentity
import DeviceSessions
import MessageBridges
import PluginHosting

extension StateBackup.Parts {
    /// All that a gateway keeps in its state directory.
    public static let gateway = StateBackup.Parts(
        schemas: [
            SessionStore.schema, DevicePinStore.schema, PluginDatabase.schema, TokenStore.schema,
            HandlerSwitchStore.schema, LaunchChoiceStore.schema, JoinStore.schema, DepartureStore.schema,
            DeviceAttributeStore.schema, ReceiverStore.schema,
        ], outbox: OutboxTables.schema)
}
