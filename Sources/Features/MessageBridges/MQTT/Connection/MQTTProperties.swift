import CMosquitto
import Glibc
import NIOCore

/// A list of properties of MQTT 5 that is written. To be given back with ``free()``.
struct MQTTProperties {
    private(set) var list: OpaquePointer?

    mutating func add(_ property: mqtt5_property, _ value: UInt32) -> Int32 {
        mosquitto_property_add_int32(&self.list, Int32(property.rawValue), value)
    }

    mutating func add(_ property: mqtt5_property, short value: UInt16) -> Int32 {
        mosquitto_property_add_int16(&self.list, Int32(property.rawValue), value)
    }

    /// Adds the properties of a publication.
    /// - Returns: a code of libmosquitto.
    mutating func describe(_ publication: MQTTPublication) -> Int32 {
        var result = MOSQ_ERR_SUCCESS.rawValue
        if publication.isText, publication.contentType != nil {
            result |= mosquitto_property_add_byte(&self.list, Int32(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR.rawValue), 1)
        }
        if let expiry = publication.expiry { result |= self.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry) }
        if let type = publication.contentType {
            result |= mosquitto_property_add_string(&self.list, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), type)
        }
        if let correlation = publication.correlation {
            result |= correlation.withUnsafeReadableBytes {
                mosquitto_property_add_binary(
                    &self.list, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), $0.baseAddress, UInt16(clamping: $0.count))
            }
        }
        if let id = publication.id {
            result |= mosquitto_property_add_string_pair(
                &self.list, Int32(MQTT_PROP_USER_PROPERTY.rawValue), "id", id)
        }
        return result
    }

    /// Leaves the list to libmosquitto.
    mutating func forget() { self.list = nil }

    mutating func free() { mosquitto_property_free_all(&self.list) }
}

extension MQTTTerms {
    /// Reads the properties of a CONNACK.
    init(_ properties: OpaquePointer?, isSessionPresent: Bool) {
        self.isSessionPresent = isSessionPresent
        var byte: UInt8 = 0
        var short: UInt16 = 0
        var number: UInt32 = 0
        if mosquitto_property_read_int16(properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &short, false) != nil {
            self.receiveMaximum = max(1, Int(short))
        }
        if mosquitto_property_read_byte(properties, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &byte, false) != nil {
            self.maximumQoS = Int(byte)
        }
        if mosquitto_property_read_byte(properties, Int32(MQTT_PROP_RETAIN_AVAILABLE.rawValue), &byte, false) != nil {
            self.retains = byte != 0
        }
        if mosquitto_property_read_int32(properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &number, false)
            != nil
        {
            self.maximumPacketSize = Int(number)
        }
    }
}

extension MQTTInbound {
    /// Copies a message of libmosquitto, as far as its sizes are taken.
    /// - Returns: nil for one whose names are longer than is taken, or not UTF-8.
    init?(_ message: UnsafePointer<mosquitto_message>, _ properties: OpaquePointer?) {
        guard let name = message.pointee.topic, strnlen(name, MQTTTopics.maximumLength + 1) <= MQTTTopics.maximumLength,
            let topic = String(validatingCString: name)
        else { return nil }
        self.topic = topic
        self.isRetained = message.pointee.retain
        let length = Int(message.pointee.payloadlen)
        if length == 0 {
            self.payload = ByteBuffer()
        } else if length <= Self.maximumPayload, let bytes = message.pointee.payload {
            self.payload = ByteBuffer(bytes: UnsafeRawBufferPointer(start: bytes, count: length))
        }
        guard let properties else { return }
        var text: UnsafeMutablePointer<CChar>?
        if mosquitto_property_read_string(properties, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), &text, false) != nil {
            defer { free(text) }
            // One that cannot be read is kept as one that is refused: the request wants an answer that it cannot have.
            self.responseTopic = text.flatMap { String(validatingCString: $0) } ?? ""
        }
        var data: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        if mosquitto_property_read_binary(
            properties, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), &data, &count, false) != nil
        {
            defer { free(data) }
            guard Int(count) <= Self.maximumCorrelation else { return nil }
            self.correlation = ByteBuffer(
                bytes: UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(count)))
        }
        self.id = Self.id(in: properties)
    }

    private static func id(in properties: OpaquePointer) -> String? {
        var next: OpaquePointer? = properties
        var isFirst = true
        while let current = next {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            next = mosquitto_property_read_string_pair(
                current, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, !isFirst)
            isFirst = false
            guard next != nil else { return nil }
            defer {
                free(name)
                free(value)
            }
            if let name, strcmp(name, "id") == 0, let value,
                strnlen(value, self.maximumCorrelation + 1) <= self.maximumCorrelation
            {
                return String(validatingCString: value)
            }
        }
        return nil
    }
}
