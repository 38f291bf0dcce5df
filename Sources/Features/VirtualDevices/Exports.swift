// Who may use virtual devices is said in words of DeviceListening: features that run them have both.
@_exported public import DeviceListening
