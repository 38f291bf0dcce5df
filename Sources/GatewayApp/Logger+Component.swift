import Logging

extension Logger {
    /// A logger for one component: same handler, the component's name as label, so that `log.levels` can name it.
    func labelled(_ component: String) -> Logger {
        Logger(label: component)
    }
}
