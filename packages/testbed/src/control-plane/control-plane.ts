// Starts etcd, kube-apiserver and kube-controller-manager in a folder and stops them again.
// obtain.ts finds the programs, arguments.ts has their arguments, users.ts says who may log in.
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '@marekvs/runtime';
import { requireSpace } from '../processes/disk.ts';
import { findFreePort, requireFreePort } from '../processes/ports.ts';
import { createProcessGroup, type ManagedProcess, type ProcessGroup } from '../processes/processes.ts';
import type { ControlPlanePrograms } from '../programs/binaries.ts';
import type { Report } from '../programs/obtain.ts';
import { obtainControlPlane } from '../programs/obtain-here.ts';
import { type ApiCredentials, connect } from './access.ts';
import { AUDIT_POLICY, apiServerArguments, controllerManagerArguments, etcdArguments } from './arguments.ts';
import { isPortTaken, waitUntilReady } from './readiness.ts';
import { type Authority, createAuthority, type User } from './users.ts';

export interface ControlPlaneOptions {
  /** An empty folder that is ours; everything is written below it. */
  readonly dir: string;
  /** Default: any free port. */
  readonly apiServerPort?: number;
  readonly etcdPort?: number;
  /** Default: obtained as `npm start` does. */
  readonly programs?: ControlPlanePrograms;
  /** Default true, where the program can be had. */
  readonly withControllerManager?: boolean;
  /** Also runs its controller of HorizontalPodAutoscalers, which reconciles each at this interval; default: not. */
  readonly podAutoscalerSyncSeconds?: number;
  /** Runs when the API server is ready and before the controller manager starts. The garbage collector searches for new
   *  kinds only every 30 s: what is there before it starts is collected from the beginning. */
  readonly beforeControllers?: (admin: Transport) => Promise<void>;
  readonly report?: Report;
  /** Free bytes that must be there; default 512 MiB (etcd alone preallocates 128). */
  readonly neededBytes?: number;
}

export interface ControlPlane {
  /** https://127.0.0.1:<port> */
  readonly server: string;
  readonly dir: string;
  /** system:masters; for people and for the testbed itself, never for the operator. */
  readonly adminKubeconfig: string;
  readonly admin: Transport;
  readonly adminCredentials: ApiCredentials;
  readonly kubectlPath: string;
  readonly auditLogPath: string;
  readonly hasControllerManager: boolean;
  /** Why there is none; undefined when there is one. */
  readonly controllerManagerMissing: string | undefined;
  /** The group all programs of this testbed belong to, so that none outlives it. */
  readonly processes: ProcessGroup;
  /** Makes a user of that name in these groups. */
  makeUser(name: string, groups: readonly string[]): Promise<User & { readonly credentials: ApiCredentials }>;
  /** Makes a user as well. Resolves with the path of a kubeconfig. */
  addUser(name: string, groups: readonly string[]): Promise<string>;
  /** Makes a user for a client of the testbed itself. */
  addClient(name: string, groups: readonly string[]): Promise<ApiCredentials>;
  /** kube-apiserver only, for faults: SIGSTOP, SIGCONT, SIGKILL. */
  signalApiServer(signal: NodeJS.Signals): void;
  /** Starts a killed API server again on its port, with its data. */
  restartApiServer(): Promise<void>;
  stop(): Promise<void>;
}

const PORT_TRIES = 5;
const MIB = 1024 * 1024;

/** Ready to take requests when it resolves (3 to 6 s on two cores).
 *  @throws PortInUseError for a port asked for by number; DiskFullError; ProgramFailedError with the end of
 *  the log; NoControlPlaneError */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const programs = options.programs ?? (await obtainControlPlane(options.report));
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  await requireSpace(options.dir, options.neededBytes ?? 512 * MIB);
  if (options.etcdPort !== undefined) await requireFreePort('etcd', '127.0.0.1', options.etcdPort);
  if (options.apiServerPort !== undefined) await requireFreePort('kube-apiserver', '127.0.0.1', options.apiServerPort);
  const processes = createProcessGroup();
  try {
    return await start(options, programs, processes);
  } catch (err) {
    await processes.stopAll(0);
    throw err;
  }
}

async function start(
  options: ControlPlaneOptions,
  programs: ControlPlanePrograms,
  processes: ProcessGroup,
): Promise<ControlPlane> {
  const { dir } = options;
  const certFolder = join(dir, 'certs');
  const etcdData = join(dir, 'etcd');
  await Promise.all([
    mkdir(certFolder, { recursive: true, mode: 0o700 }),
    mkdir(join(dir, 'logs'), { recursive: true }),
  ]);
  processes.removeAfterCrash(etcdData);
  const auditPolicyPath = join(dir, 'audit-policy.yaml');
  const auditLogPath = join(dir, 'logs', 'audit.log');
  const [authority, etcd] = await Promise.all([
    createAuthority(certFolder),
    startOnPorts(options.etcdPort, (port) => startEtcd(programs.etcd, dir, etcdData, port, processes)),
    writeFile(auditPolicyPath, AUDIT_POLICY),
    // Created before the first line is written, so that a reader need not wait for the file.
    writeFile(auditLogPath, '', { mode: 0o600 }),
  ]);

  function spawnApiServer(port: number): ManagedProcess {
    return processes.spawn({
      name: 'kube-apiserver',
      command: programs.apiServer,
      args: apiServerArguments({
        port,
        etcdPort: etcd.port,
        certFolder,
        certificates: authority.files,
        auditPolicyPath,
        auditLogPath,
      }),
      env: plainEnvironment(dir),
      logPath: join(dir, 'logs', 'kube-apiserver.log'),
    });
  }

  let apiServer: ManagedProcess | undefined;
  const { port } = await startOnPorts(options.apiServerPort, async (tryPort) => {
    const server = spawnApiServer(tryPort);
    apiServer = server;
    await waitUntilReady(server, { url: `https://127.0.0.1:${tryPort}/readyz`, caPem: authority.caPem }, dir);
  });
  const server = `https://127.0.0.1:${port}`;
  const adminUser = await authority.addUser(server, 'testbed-admin', ['system:masters']);
  const adminCredentials = credentialsOf(server, authority, adminUser);
  const admin = connect(adminCredentials, 'testbed');
  await options.beforeControllers?.(admin);
  const hasControllerManager = programs.controllerManager !== undefined && options.withControllerManager !== false;
  if (hasControllerManager) await startControllerManager(options, programs, server, authority, processes);

  const makeUser = async (name: string, groups: readonly string[]) => {
    const user = await authority.addUser(server, name, groups);
    return { ...user, credentials: credentialsOf(server, authority, user) };
  };
  return {
    server,
    dir,
    adminKubeconfig: adminUser.kubeconfigPath,
    admin,
    adminCredentials,
    kubectlPath: programs.kubectl,
    auditLogPath,
    hasControllerManager,
    controllerManagerMissing: programs.controllerManagerMissing,
    processes,
    makeUser,
    addUser: async (name, groups) => (await makeUser(name, groups)).kubeconfigPath,
    addClient: async (name, groups) => (await makeUser(name, groups)).credentials,
    signalApiServer: (signal) => apiServer?.signal(signal),
    async restartApiServer() {
      await apiServer?.stop();
      const again = spawnApiServer(port);
      apiServer = again;
      await waitUntilReady(again, { url: `${server}/readyz`, caPem: authority.caPem }, dir);
    },
    async stop() {
      await admin.close();
      // The data is worthless from here on, and kube-apiserver would wait some seconds for its watchers.
      await processes.stopAll(100);
    },
  };
}

async function startEtcd(
  program: string,
  dir: string,
  dataFolder: string,
  clientPort: number,
  processes: ProcessGroup,
): Promise<void> {
  const etcd = processes.spawn({
    name: 'etcd',
    command: program,
    args: etcdArguments({ dataFolder, clientPort, peerPort: await findFreePort() }),
    env: plainEnvironment(dir),
    logPath: join(dir, 'logs', 'etcd.log'),
  });
  await waitUntilReady(etcd, { url: `http://127.0.0.1:${clientPort}/health` }, dir);
}

async function startControllerManager(
  { dir, podAutoscalerSyncSeconds }: ControlPlaneOptions,
  programs: ControlPlanePrograms,
  server: string,
  authority: Authority,
  processes: ProcessGroup,
): Promise<void> {
  if (programs.controllerManager === undefined) return;
  const user = await authority.addUser(server, 'system:kube-controller-manager', ['system:masters']);
  processes.spawn({
    name: 'kube-controller-manager',
    command: programs.controllerManager,
    args: controllerManagerArguments(user.kubeconfigPath, podAutoscalerSyncSeconds),
    env: plainEnvironment(dir),
    logPath: join(dir, 'logs', 'kube-controller-manager.log'),
  });
}

/** Between finding a free port and the program's bind somebody else may take it: then another one is tried. A port
 *  given by number is used or refused. */
async function startOnPorts(
  fixed: number | undefined,
  startOn: (port: number) => Promise<void>,
): Promise<{ readonly port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = fixed ?? (await findFreePort());
    try {
      await startOn(port);
      return { port };
    } catch (err) {
      if (fixed !== undefined || attempt === PORT_TRIES || !isPortTaken(err)) throw err;
    }
  }
}

function credentialsOf(server: string, authority: Authority, user: User): ApiCredentials {
  return { server, caPem: authority.caPem, certPem: user.certPem, keyPem: user.keyPem };
}

/** Nothing of the caller's shell reaches these programs: no proxy, no KUBECONFIG. Collecting garbage less often takes a
 *  third off the API server's CPU time under a hundred clusters (22 to 15 s) for some hundred megabytes; the limit
 *  keeps it in bounds. Half of the processors are enough: of two, one takes 11 % off the API server's time and 27 % off
 *  etcd's (1,200 requests), and answers as soon. */
function plainEnvironment(dir: string): Record<string, string> {
  const processors = Math.max(1, Math.floor(availableParallelism() / 2));
  return { HOME: dir, PATH: '/usr/bin:/bin', GOGC: '400', GOMEMLIMIT: '1GiB', GOMAXPROCS: String(processors) };
}
