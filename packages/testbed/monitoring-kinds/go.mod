// Only downloaded, never built: its folder example/prometheus-operator-crd has the kinds that config/components/monitoring is made of.
module marekvs.io/testbed/monitoring-kinds

go 1.26.0

require github.com/prometheus-operator/prometheus-operator v0.85.0
