// What other programs of the suite may use of the operator: its kinds, and how it reads objects, so that the CLI's
// `plan` sees what the operator sees. Pure, but for `probeHost`, which reads through the client that it is given.

export { missingAccess, NEEDS } from './access-check.ts';
export { aimedAutoscalers, autoscalerHolds } from './cluster/aimed-autoscalers.ts';
export { clusterRecordOf } from './cluster/cluster-record.ts';
export { releasedSet, setProblem } from './cluster/released-set.ts';
export { hashOfRevision, templateOfRevision } from './cluster/revision-object.ts';
export { specInForce } from './cluster/spec-in-force.ts';
export { nodeStamp, restartHash, templateHash } from './cluster/template.ts';
export { MAREKVS_CLUSTER, MAREKVS_NODE } from './kinds.ts';
export { isDrained } from './members/drain-taints.ts';
export { figuresOf } from './members/figures.ts';
export { probeHost } from './members/host-probe.ts';
export { WATCHED_INTERVAL_MS } from './members/pace.ts';
export { selectedHostOf } from './members/selected-hosts.ts';
export { identity } from './observation/metadata.ts';
export { nodeRecordOf } from './observation/node-record.ts';
export { toPodView } from './observation/pod-view.ts';
export { sizeRecordOf } from './observation/size-record.ts';
export { toNodeView } from './observation/views.ts';
export { toVolumeView } from './observation/volume-view.ts';
export { readNote } from './password-note.ts';
