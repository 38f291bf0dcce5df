public import CastWire

extension CastMessage {
    /// A text message for a test.
    /// - Parameter text: the payload, byte for byte.
    public static func test(
        _ text: String, in namespace: Namespace = "urn:x-cast:com.example.quiz",
        from source: EndpointID = .platformSender, to destination: EndpointID = .platformReceiver
    ) -> CastMessage {
        CastMessage(source: source, destination: destination, namespace: namespace, payload: .text(text))
    }
}
