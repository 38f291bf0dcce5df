// What makes counters, gauges and histograms has to use them, too.
@_exported public import CoreMetrics
