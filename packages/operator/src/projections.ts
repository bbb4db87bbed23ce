// What other programs of the suite may use of the operator: its kinds, and how it reads objects, so that the CLI's
// `plan` sees what the operator sees. Pure, but for `probeHost`, which reads through the client that it is given.

export { missingAccess, NEEDS } from './api-server/access-check.ts';
export { toPodView } from './caches/pod-view.ts';
export { toNodeView } from './caches/views.ts';
export { toVolumeView } from './caches/volume-view.ts';
export { clusterRecordOf } from './cluster/observation/cluster-record.ts';
export { specInForce } from './cluster/observation/spec-in-force.ts';
export { isDrained } from './hosts/drain-taints.ts';
export { probeHost } from './hosts/host-probe.ts';
export { selectedHostOf } from './hosts/selected-hosts.ts';
export { figuresOf } from './members/figures.ts';
export { WATCHED_INTERVAL_MS } from './members/probing-pace.ts';
export { MAREKVS_CLUSTER, MAREKVS_NODE } from './objects/kinds.ts';
export { identity } from './objects/metadata.ts';
export { releasedSet, setProblem } from './objects/released-set.ts';
export { hashOfRevision, templateOfRevision } from './objects/revision-object.ts';
export { nodeStamp, restartHash, templateHash } from './objects/template.ts';
export { nodeRecordOf } from './pass/node-record.ts';
export { readNote } from './secrets/password-note.ts';
export { aimedAutoscalers, autoscalerHolds } from './sizing/aimed-autoscalers.ts';
export { sizeRecordOf } from './sizing/size-record.ts';
