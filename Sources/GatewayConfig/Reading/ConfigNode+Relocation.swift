extension ConfigNode {
    /// Moves the node and all within it to one place.
    mutating func relocate(to location: ConfigLocation) {
        self.location = location
        switch self.content {
        case .scalar:
            break
        case .sequence(var elements):
            for index in elements.indices { elements[index].relocate(to: location) }
            self.content = .sequence(elements)
        case .mapping(var entries):
            for index in entries.indices {
                entries[index].keyLocation = location
                entries[index].value.relocate(to: location)
            }
            self.content = .mapping(entries)
        }
    }
}
