extension ReceiverStatus {
    /// The status with what it does not tell taken from an earlier one of the same device.
    ///
    /// Apps that are left out do not run. Apps under `applications` that are no list, or no objects, say nothing, and neither does a
    /// volume, or a part of it, that is missing or of another kind.
    public func completed(by earlier: ReceiverStatus?) -> ReceiverStatus {
        var status = self
        if self.json["applications"] != nil, self.json.objects("applications") == nil {
            status.json["applications"] = earlier?.json["applications"]
        }
        if let volume = self.volume ?? earlier?.volume { status.volume = volume.completed(by: earlier?.volume) }
        for field in [Fields.isActiveInput, Fields.isStandBy] where self[field] == nil {
            status[field] = earlier?[field]
        }
        return status
    }
}

extension ReceiverVolume {
    /// The volume with the parts that it does not tell taken from an earlier one of the same device.
    public func completed(by earlier: ReceiverVolume?) -> ReceiverVolume {
        var volume = self
        if self.level == nil { volume.level = earlier?.level }
        if self.muted == nil { volume.muted = earlier?.muted }
        if self.controlType == nil { volume.controlType = earlier?.controlType }
        if self.stepInterval == nil { volume.stepInterval = earlier?.stepInterval }
        return volume
    }
}

extension MultizoneDevice {
    /// The member with what a message does not tell of it taken from an earlier one.
    public func completed(by earlier: MultizoneDevice) -> MultizoneDevice {
        var member = MultizoneDevice(json: self.json.completed(by: earlier.json, where: { $0 != .null }))
        if let volume = self.volume ?? earlier.volume { member.volume = volume.completed(by: earlier.volume) }
        return member
    }
}
