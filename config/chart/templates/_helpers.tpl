{{/*
Names do not depend on the release: the network policies of the members and the admission policies know the operator by its name.
*/}}
{{- define "marekvs-operator.selectorLabels" -}}
app.kubernetes.io/name: marekvs-operator
{{- end }}

{{- define "marekvs-operator.labels" -}}
{{ include "marekvs-operator.selectorLabels" . }}
app.kubernetes.io/part-of: marekvs
{{- end }}

{{- define "marekvs-operator.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* Whom every role is bound to. */}}
{{- define "marekvs-operator.subjects" -}}
- kind: ServiceAccount
  name: marekvs-operator
  namespace: {{ .Release.Namespace }}
{{- end }}

{{/* What the operator does in each namespace that it manages; config/components/cluster-role explains why. */}}
{{- define "marekvs-operator.rules" -}}
- apiGroups: [marekvs.io]
  resources: [marekvsclusters]
  verbs: [get, list, watch]
- apiGroups: [marekvs.io]
  resources: [marekvsnodes]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [marekvs.io]
  resources: [marekvsclusters/status, marekvsnodes/status]
  verbs: [update]
- apiGroups: [marekvs.io]
  resources: [marekvsclusters/finalizers, marekvsnodes/finalizers]
  verbs: [update]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [pods/resize]
  verbs: [patch]
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create, patch]
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [get]
- apiGroups: [apps]
  resources: [controllerrevisions]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [list]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create]
{{- end }}
