import PluginKit

/// Answers what the plugin asked, as far as it reads the answers.
extension PluginWire {
    /// True if more answers wait than a plugin may leave unread. Messages stop at half of that.
    private var isFlooded: Bool { self.unread >= 2 * Self.outputLimit }

    /// Answers what the plugin asked.
    /// - Parameter hidesSecrets: whether the answer may hold what traces do not show.
    func answer(_ response: RPCResponse, hidesSecrets: Bool = false) {
        guard !self.isClosed, !self.endIfFlooded() else { return }
        let shown = hidesSecrets && self.traces.isActive ? response.hidingSecrets : nil
        self.write(shownAs: shown.map { .response($0) }) { response.write(to: &$0) }
    }

    /// Gives the plugin up when it reads none of its answers: what it has asked already could grow without bound.
    /// - Returns: whether it is given up.
    func endIfFlooded() -> Bool {
        if !self.isGivenUp, self.isFlooded { self.giveUp("it asks, and does not read the answers") }
        return self.isGivenUp
    }
}
