export { proseOf } from './checks/markdown.ts';
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
export {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from './control-plane/control-plane.ts';
export { serviceAccountGroups } from './control-plane/users.ts';
export {
  AlreadyRunningError,
  DiskFullError,
  NoControlPlaneError,
  PortInUseError,
  ProgramFailedError,
  TestbedError,
} from './errors.ts';
export type { Kubelet, PodState } from './kubelet/kubelet-interface.ts';
export { STORAGE_CLASS_MANIFEST } from './kubelet/volumes/claims.ts';
export { cacheFolder, KUBERNETES_VERSION, projectRoot } from './paths.ts';
export { limit, stretched } from './patience.ts';
export { findFreePort } from './processes/ports.ts';
export type { ControlPlanePrograms } from './programs/binaries.ts';
export { obtainDistributorTools } from './programs/distributor-tools.ts';
export { type Helm, obtainHelm } from './programs/helm.ts';
export { compileCache, MADE_VARIABLE, madeProgram, pluginProgram } from './programs/made-programs.ts';
export { NoMonitoringKindsError, obtainMonitoringKinds } from './programs/monitoring-kinds.ts';
export type { Report } from './programs/obtain.ts';
export { obtainControlPlane } from './programs/obtain-here.ts';
export { NoGoProgramError, obtainOneProgram } from './programs/one-program.ts';
export {
  askPromql,
  obtainPromql,
  type PromqlCase,
  type PromqlFiring,
  type PromqlFound,
  type PromqlRule,
} from './programs/promql.ts';
export type { OperatorProcess } from './testbed/operator-process.ts';
export {
  OPERATOR_USER,
  type RunnerChoice,
  startTestbed,
  type Testbed,
  type TestbedOptions,
} from './testbed/testbed.ts';
export { withTestbed } from './testbed/with-testbed.ts';
