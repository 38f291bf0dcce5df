extension Double {
    /// The decimal that a number of 32 bits was written for, when this is one: devices keep volumes in 32 bits, and send 0.3 as
    /// 0.30000001192092896. Any other number stays as it is.
    public var shortest: Double {
        let float = Float(self)
        guard Double(float) == self else { return self }
        return Double("\(float)") ?? self
    }
}

extension JSONObject {
    /// A status of a receiver or of media whose volume is written as ``Swift/Double/shortest``, for people and programs.
    public var withShortVolume: JSONObject {
        guard var volume = self.object("volume") else { return self }
        for name in ["level", "stepInterval"] {
            guard let number = volume.double(name), number.shortest != number else { continue }
            volume[name] = .number(number.shortest)
        }
        var status = self
        status["volume"] = .object(volume)
        return status
    }
}
