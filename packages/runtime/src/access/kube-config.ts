// How to reach the API server: from a kubeconfig or from inside a Pod. @kubernetes/client-node does the reading
// (kube-config-read.ts), normally in a short-lived child process; here stay plain data and a credential source.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ConfigError, errorText } from '../errors/errors.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import {
  type CredentialSource,
  type Credentials,
  createExecCredentials,
  createPartsCredentials,
} from './credentials.ts';
import { type ReadAccess, type ReadRequest, type ReadUser, readKubeConfig, splitPaths } from './kube-config-read.ts';

export interface ClusterAccess {
  readonly server: URL;
  /** PEM of the certificate authority; undefined = the system's. */
  readonly ca?: string | Buffer | undefined;
  readonly tlsServerName?: string | undefined;
  /** Do not verify the server's certificate: only when the kubeconfig says so. */
  readonly skipTlsVerify?: boolean | undefined;
  readonly credentials: CredentialSource;
  /** The namespace of the context or of the Pod; `default` when there is none. */
  readonly namespace: string;
  /** For humans, without secrets: `kubeconfig /home/x/.kube/config, context kind`. */
  readonly describe: string;
}

export interface ClusterAccessOptions {
  /** Path of a kubeconfig. Without it: $KUBECONFIG, then the Pod's service account, then ~/.kube/config. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Folder under which a Pod's `/var/run/secrets/kubernetes.io/serviceaccount` is searched; default the root. */
  readonly podRoot?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** Ends a child that hangs. It needs half a second of processor time, for which a process of low priority waits for
 *  minutes on a busy machine. */
const READ_LIMIT_MS = 600_000;
const MAX_ANSWER_BYTES = 16 << 20;
const TOKEN_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** @throws ConfigError when there is no configuration or it cannot be used; the message is one clear line */
export async function loadClusterAccess(opts: ClusterAccessOptions): Promise<ClusterAccess> {
  const { env = process.env, clock = systemClock } = opts;
  const source = findSource(opts, env);
  const access = await read({ files: source.files, context: opts.context, podRoot: opts.podRoot ?? '' }, env).catch(
    (cause: unknown) => {
      throw new ConfigError(`${source.describe}: ${firstLine(cause)}`);
    },
  );
  if (!URL.canParse(access.server)) throw new ConfigError(`${source.describe}: ${access.server} is not a URL`);
  const ca = await readCa(access, source.describe);
  return {
    server: new URL(access.server),
    ca,
    tlsServerName: access.tlsServerName,
    skipTlsVerify: access.skipTlsVerify,
    credentials: toCredentials(access.user, clock),
    namespace: access.namespace ?? 'default',
    describe: source.files === undefined ? source.describe : `${source.describe}, context ${access.contextName}`,
  };
}

interface Source {
  readonly files: readonly string[] | undefined;
  readonly describe: string;
}

function findSource(opts: ClusterAccessOptions, env: NodeJS.ProcessEnv): Source {
  const named = opts.kubeconfig === undefined ? splitPaths(env.KUBECONFIG ?? '') : [opts.kubeconfig];
  if (named.length > 0) {
    const missing = named.find((file) => !existsSync(file));
    if (missing !== undefined) {
      const from = opts.kubeconfig === undefined ? ' (named by $KUBECONFIG)' : '';
      throw new ConfigError(`kubeconfig ${missing}${from} does not exist`);
    }
    return { files: named, describe: `kubeconfig ${named.join(', ')}` };
  }
  if (env.KUBERNETES_SERVICE_HOST !== undefined && existsSync(`${opts.podRoot ?? ''}${TOKEN_FILE}`)) {
    return { files: undefined, describe: 'service account of this Pod' };
  }
  const home = env.HOME ?? env.USERPROFILE;
  const file = home === undefined ? undefined : join(home, '.kube', 'config');
  if (file !== undefined && existsSync(file)) return { files: [file], describe: `kubeconfig ${file}` };
  throw new ConfigError(
    'no kubeconfig: give --kubeconfig, set KUBECONFIG, run inside a Pod with a service account, or create ~/.kube/config',
  );
}

/** Only the first line, and no cause: a YAML parser quotes the lines around its error, and these are credentials. */
function firstLine(cause: unknown): string {
  return errorText(cause).split('\n', 1)[0]?.trim() ?? '';
}

/** Reads in a child process, so that 60 MB of generated client do not stay in memory. A bundle without that client
 *  (bundle.ts) has no file for the child either, and reads in this process. */
async function read(request: ReadRequest, env: NodeJS.ProcessEnv): Promise<ReadAccess> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const child = fileURLToPath(new URL(`./kube-config-child.${extension}`, import.meta.url));
  if (!existsSync(child)) return await readKubeConfig(request);
  const args = [...process.execArgv.filter((flag) => !flag.startsWith('--inspect')), child, JSON.stringify(request)];
  const limits = { env, timeout: READ_LIMIT_MS, maxBuffer: MAX_ANSWER_BYTES };
  const { stdout } = await promisify(execFile)(process.execPath, args, limits);
  const answer: { ok?: ReadAccess; error?: string } = JSON.parse(stdout);
  if (answer.ok === undefined) throw new Error(answer.error ?? 'no answer');
  return answer.ok;
}

async function readCa(access: ReadAccess, describe: string): Promise<Buffer | undefined> {
  if (access.caData !== undefined) return Buffer.from(access.caData, 'base64');
  if (access.caFile === undefined) return undefined;
  return await readFile(access.caFile).catch((cause: unknown) => {
    throw new ConfigError(`${describe}: the certificate authority ${access.caFile} cannot be read`, { cause });
  });
}

function toCredentials(user: ReadUser, clock: Clock): CredentialSource {
  if (user.exec !== undefined) return createExecCredentials(() => startExecPlugin(user), clock);
  const decode = (data: string | undefined): Buffer | undefined =>
    data === undefined ? undefined : Buffer.from(data, 'base64');
  return createPartsCredentials(
    {
      token: user.token,
      tokenFile: user.tokenFile,
      basic: user.username === undefined ? undefined : { username: user.username, password: user.password ?? '' },
      cert: decode(user.certData),
      certFile: user.certData === undefined ? user.certFile : undefined,
      key: decode(user.keyData),
      keyFile: user.keyData === undefined ? user.keyFile : undefined,
    },
    clock,
  );
}

/** client-node's runner of exec plugins, which caches a credential until it expires. Only this file of the package is
 *  loaded: 3 MB. */
async function startExecPlugin(user: ReadUser): Promise<() => Promise<Credentials>> {
  const { ExecAuth } = await import('@kubernetes/client-node/dist/exec_auth.js');
  const plugin = new ExecAuth();
  return async () => {
    const out: { headers?: Record<string, string>; cert?: string; key?: string } = {};
    await plugin.applyAuthentication({ name: user.name, exec: user.exec }, out);
    return {
      authorization: out.headers?.Authorization,
      clientCertificate: out.cert && out.key ? { cert: out.cert, key: out.key } : undefined,
    };
  };
}
