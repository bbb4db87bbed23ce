export { type ApiCredentials, connect, toClusterAccess } from './control-plane/access.ts';
export { applyManifests, type Manifest, readManifests, renderKustomization } from './control-plane/apply.ts';
export {
  type AuditCount,
  type AuditFilter,
  type AuditReader,
  type AuditRequest,
  type AuditSummary,
  createAuditReader,
} from './control-plane/audit-log.ts';
export type { ControlPlanePrograms } from './control-plane/binaries.ts';
export {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from './control-plane/control-plane.ts';
export { obtainDistributorTools } from './control-plane/distributor-tools.ts';
export { type Helm, obtainHelm } from './control-plane/helm.ts';
export type { Report } from './control-plane/obtain.ts';
export { obtainControlPlane } from './control-plane/obtain-here.ts';
export { serviceAccountGroups } from './control-plane/users.ts';
export {
  AlreadyRunningError,
  DiskFullError,
  NoControlPlaneError,
  PortInUseError,
  ProgramFailedError,
  TestbedError,
} from './errors.ts';
export { STORAGE_CLASS_MANIFEST } from './kubelet/claims.ts';
export type { Kubelet, PodState } from './kubelet/kubelet.ts';
export { compileCache, MADE_VARIABLE, madeProgram, pluginProgram } from './made-programs.ts';
export { proseOf } from './markdown.ts';
export { NoMonitoringKindsError, obtainMonitoringKinds } from './monitoring-kinds.ts';
export type { OperatorProcess } from './operator-process.ts';
export { KUBERNETES_VERSION, projectRoot } from './paths.ts';
export { limit, stretched } from './patience.ts';
export { findFreePort } from './processes/ports.ts';
export {
  askPromql,
  NoPromqlError,
  obtainPromql,
  type PromqlCase,
  type PromqlFiring,
  type PromqlFound,
  type PromqlRule,
} from './promql.ts';
export {
  OPERATOR_USER,
  type RunnerChoice,
  startTestbed,
  type Testbed,
  type TestbedOptions,
} from './testbed.ts';
export { withTestbed } from './with-testbed.ts';
