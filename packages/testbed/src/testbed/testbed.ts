// A whole testbed in one call: control plane, storage class, CRDs, RBAC, local kubelet, and the operator as its own
// user. For `npm start`, the journeys and the bench; every part can be left out.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATOR_ACCOUNT, OPERATOR_NAMESPACE } from '@marekvs/api';
import type { Transport } from '@marekvs/runtime';
import { connect } from '../control-plane/access.ts';
import { applyManifests, type Manifest, readManifests } from '../control-plane/apply.ts';
import { type AuditReader, createAuditReader } from '../control-plane/audit-log.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { borrowControlPlane, takeLent } from '../control-plane/lend.ts';
import { serviceAccountGroups } from '../control-plane/users.ts';
import { TestbedError } from '../errors.ts';
import { startKubelet } from '../kubelet/kubelet.ts';
import type { Kubelet } from '../kubelet/kubelet-interface.ts';
import { createHostingRunner } from '../kubelet/runners/hosting-runner.ts';
import type { MemberRunner } from '../kubelet/runners/member-runner.ts';
import { createPauseRunner, createProcessRunner, createProgramRunner } from '../kubelet/runners/runners.ts';
import { reserveLoopbackRange } from '../processes/ports.ts';
import type { ControlPlanePrograms } from '../programs/binaries.ts';
import type { Report } from '../programs/obtain.ts';
import { obtainControlPlane } from '../programs/obtain-here.ts';
import { type EarlyOptions, earlyManifests } from './early-manifests.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';

/** Who the operator is to the API server: the service account that config/components/cluster-role binds, never
 *  system:masters. */
export const OPERATOR_USER = `system:serviceaccount:${OPERATOR_NAMESPACE}:${OPERATOR_ACCOUNT}`;

export type RunnerChoice =
  | { readonly kind: 'process' }
  /** All in one process, each on sockets of its own: the same to their clients, for a tenth of the work. */
  | { readonly kind: 'hosted' }
  | { readonly kind: 'program'; readonly program: string }
  | { readonly kind: 'hollow' }
  /** Pods run and are ready without anything behind their address. */
  | { readonly kind: 'pause' };

export interface TestbedOptions extends EarlyOptions {
  /** Default: a new folder under the system's temporary folder, removed by stop(). A folder that is given stays. */
  readonly dir?: string;
  /** Divides every timer of simulated members, probes and back-off; default 1. */
  readonly speed?: number;
  /** Default `process`: a simulated member per Pod. */
  readonly runner?: RunnerChoice['kind'] | RunnerChoice;
  /** Default true. */
  readonly kubelet?: boolean;
  /** Default false. `true` takes the defaults. */
  readonly operator?:
    | boolean
    | {
        readonly watchNamespaces?: readonly string[];
        readonly extraArgs?: readonly string[];
        readonly extraEnv?: Readonly<Record<string, string>>;
      };
  readonly withControllerManager?: boolean;
  /** How often each HorizontalPodAutoscaler is reconciled; default: never. */
  readonly podAutoscalerSyncSeconds?: number;
  readonly nodeCount?: number;
  readonly apiServerPort?: number;
  readonly programs?: ControlPlanePrograms;
  readonly report?: Report;
  readonly onProblem?: (what: string, err: unknown) => void;
}

export interface Testbed {
  readonly dir: string;
  readonly controlPlane: ControlPlane;
  /** @throws TestbedError when it was left out */
  readonly kubelet: Kubelet;
  /** @throws TestbedError when it was left out and not started since */
  readonly operator: OperatorProcess;
  readonly kubeconfigs: { readonly admin: string; readonly operator: string };
  /** Requests and streams as system:masters (`testbed-admin`). */
  readonly transport: Transport;
  /** The operator's requests since this reader was made. */
  auditReader(user?: string): Promise<AuditReader>;
  apply(manifests: readonly Manifest[] | readonly string[], namespace?: string): Promise<void>;
  /** Starts the operator on a testbed that was started without it, or one more beside it: `operator` is the last
   *  one. */
  startOperator(options?: {
    readonly watchNamespaces?: readonly string[];
    readonly extraArgs?: readonly string[];
    readonly extraEnv?: Readonly<Record<string, string>>;
    /** Name of its log; every operator beside the first needs one. */
    readonly name?: string;
  }): Promise<OperatorProcess>;
  /** Everything ends: operator first, then Pods, then the control plane. Idempotent. */
  stop(): Promise<void>;
}

/** Resolves when the API server answers, CRDs are served, and the kubelet's caches are complete. The
 *  operator may still be starting. */
export async function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
  const report = options.report ?? (() => undefined);
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'marekvs-testbed-')));
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const cleanups: (() => Promise<unknown>)[] = [];
  if (options.dir === undefined) cleanups.push(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= runBackwards(cleanups);
    return stopping;
  };
  try {
    return await assemble(options, dir, report, cleanups, stop);
  } catch (err) {
    await stop();
    throw err;
  }
}

async function assemble(
  options: TestbedOptions,
  dir: string,
  report: Report,
  cleanups: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<Testbed> {
  const lent = takeLent();
  const controlPlane =
    lent === undefined
      ? await startOwn(options, join(dir, 'control-plane'), report)
      : await borrow(lent, options, join(dir, 'control-plane'));
  cleanups.push(() => controlPlane.stop());
  report(`Control plane ready at ${controlPlane.server}`);
  const operatorKubeconfig = await controlPlane.addUser(OPERATOR_USER, serviceAccountGroups(OPERATOR_NAMESPACE));
  const kubelet = options.kubelet === false ? undefined : await assembleKubelet(options, dir, controlPlane, cleanups);
  if (kubelet !== undefined) report('Local kubelet ready');
  let operator: OperatorProcess | undefined;

  const testbed: Testbed = {
    dir,
    controlPlane,
    get kubelet() {
      return present(kubelet, 'the local kubelet');
    },
    get operator() {
      return present(operator, 'the operator');
    },
    kubeconfigs: { admin: controlPlane.adminKubeconfig, operator: operatorKubeconfig },
    transport: controlPlane.admin,
    async auditReader(user = OPERATOR_USER) {
      const reader = createAuditReader(controlPlane.auditLogPath, { user });
      await reader.skip();
      return reader;
    },
    async apply(manifests, namespace) {
      const loaded = await Promise.all(
        manifests.map((one) => (typeof one === 'string' ? readManifests([one]) : [one])),
      );
      await applyManifests(controlPlane.admin, loaded.flat(), namespace === undefined ? {} : { namespace });
    },
    async startOperator(operatorOptions = {}) {
      const started = await startOperator({
        processes: controlPlane.processes,
        dir: controlPlane.dir,
        kubeconfig: operatorKubeconfig,
        namespace: OPERATOR_NAMESPACE,
        ...operatorOptions,
      });
      operator = started;
      report(`Started the operator as ${OPERATOR_USER}`);
      cleanups.push(() => started.stop());
      return started;
    },
    stop,
  };
  if (options.operator !== undefined && options.operator !== false) {
    await testbed.startOperator(options.operator === true ? {} : options.operator);
  }
  return testbed;
}

async function startOwn(options: TestbedOptions, dir: string, report: Report): Promise<ControlPlane> {
  const programs = options.programs ?? (await obtainControlPlane(report));
  const early = await earlyManifests(options, programs.kubectl);
  const { podAutoscalerSyncSeconds } = options;
  report('Starting etcd, kube-apiserver and kube-controller-manager');
  return startControlPlane({
    dir,
    report,
    programs,
    ...(options.apiServerPort === undefined ? {} : { apiServerPort: options.apiServerPort }),
    ...(options.withControllerManager === undefined ? {} : { withControllerManager: options.withControllerManager }),
    ...(podAutoscalerSyncSeconds === undefined ? {} : { podAutoscalerSyncSeconds }),
    beforeControllers: (client) => applyManifests(client, early),
  });
}

/** A lent control plane has everything a testbed has by default, and outlives the testbed. */
async function borrow(file: string, options: TestbedOptions, dir: string): Promise<ControlPlane> {
  const asked = { ...options };
  const own = (['crds', 'rbac', 'userRoles', 'programs', 'apiServerPort', 'podAutoscalerSyncSeconds'] as const).filter(
    (name) => asked[name] !== undefined,
  );
  if (own.length > 0) {
    throw new TestbedError(
      `${own.join(', ')}: not on an API server that others use as well: say "// Own API server: <why>" in the opening comment of the file`,
    );
  }
  return borrowControlPlane(file, dir);
}

async function assembleKubelet(
  options: TestbedOptions,
  dir: string,
  controlPlane: ControlPlane,
  cleanups: (() => Promise<unknown>)[],
): Promise<Kubelet> {
  const range = await reserveLoopbackRange();
  cleanups.push(() => range.release());
  const credentials = await controlPlane.addClient('testbed-kubelet', ['system:masters']);
  const transport = connect(credentials, 'testbed-kubelet');
  cleanups.push(() => transport.close());
  const kubeletDir = join(dir, 'kubelet');
  const hostsFile = join(kubeletDir, 'hosts');
  const kubelet = await startKubelet({
    transport,
    dir: kubeletDir,
    octet: range.octet,
    hostsFile,
    certificates: join(controlPlane.dir, 'certs'),
    runner: createRunner(options, controlPlane, kubeletDir, hostsFile),
    ...(options.speed === undefined ? {} : { speed: options.speed }),
    ...(options.nodeCount === undefined ? {} : { nodeCount: options.nodeCount }),
    ...(options.onProblem === undefined ? {} : { onProblem: options.onProblem }),
  });
  cleanups.push(() => kubelet.stop());
  return kubelet;
}

function createRunner(
  options: TestbedOptions,
  { processes }: ControlPlane,
  dir: string,
  hostsFile: string,
): MemberRunner {
  const choice: RunnerChoice =
    typeof options.runner === 'object' ? options.runner : toChoice(options.runner ?? 'process');
  const speed = options.speed ?? 1;
  switch (choice.kind) {
    case 'process':
      return createProcessRunner(processes, speed, hostsFile);
    case 'program':
      return createProgramRunner(processes, choice.program);
    case 'hosted':
    case 'hollow':
      return createHostingRunner({ kind: choice.kind, processes, dir, speed, hostsFile });
    case 'pause':
      return createPauseRunner();
  }
}

function toChoice(kind: RunnerChoice['kind']): RunnerChoice {
  if (kind === 'program') throw new TestbedError('runner `program` needs the program: { kind: "program", program }');
  return { kind };
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new TestbedError(`${what} was left out of this testbed`);
  return value;
}

/** Last started, first stopped. When one fails, the others are stopped all the same. */
async function runBackwards(cleanups: (() => Promise<unknown>)[]): Promise<void> {
  const problems: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    await cleanup().catch((err: unknown) => problems.push(err));
  }
  if (problems.length > 0) throw new AggregateError(problems, 'stop the testbed');
}
