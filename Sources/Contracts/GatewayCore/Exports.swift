// Handlers in the gateway import GatewayCore alone: the vocabulary of their verdicts comes with it.
@_exported public import HandlerKit
