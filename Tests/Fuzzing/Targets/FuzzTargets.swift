/// Everything that is fuzzed.
package enum FuzzTargets {
    /// The targets, from the wire upwards.
    package static let all: [any FuzzTarget.Type] = [
        FrameDecoderTarget.self, CastMessageTarget.self, JSONTarget.self, ConnectionPayloadTarget.self,
        HeartbeatPayloadTarget.self, DeviceAuthTarget.self, CRLBundleTarget.self, DeviceRecordTarget.self,
        AnnouncementTarget.self,
        ReceiverPayloadTarget.self,
        LaunchPayloadTarget.self, MediaRequestTarget.self, MediaStatusTarget.self, MultizonePayloadTarget.self,
        SetupPayloadTarget.self, PluginWireTarget.self, YAMLTarget.self, ReceiverSequenceTarget.self,
        RelaySequenceTarget.self, WebSocketTarget.self, MQTTCommandTarget.self, MQTTPacketTarget.self,
        WebhookReplyTarget.self,
        BridgedEventTarget.self, BridgeAddressTarget.self, JoinFormTarget.self,
    ]

    /// The target of a name.
    package static func named(_ name: String) -> (any FuzzTarget.Type)? {
        self.all.first { $0.name == name }
    }
}
