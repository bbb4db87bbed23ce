// Reads a kubeconfig or a Pod's service account with @kubernetes/client-node into plain data. The only importer of its
// KubeConfig, which costs about 60 MB of memory and half a second: kube-config.ts runs this in a process of its own.
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';

/** What is to be read; paths and names only, no secrets. */
export interface ReadRequest {
  /** Files in order of precedence; undefined = the Pod's service account. */
  readonly files: readonly string[] | undefined;
  readonly context: string | undefined;
  /** Folder that holds `var/run/secrets/…`; empty = the root. */
  readonly podRoot: string;
}

/** The chosen context. Values are as the kubeconfig has them (base64 where it says `-data`). */
export interface ReadAccess {
  readonly contextName: string;
  readonly server: string;
  readonly namespace: string | undefined;
  readonly caData: string | undefined;
  readonly caFile: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly skipTlsVerify: boolean;
  readonly user: ReadUser;
}

export interface ReadUser {
  readonly name: string;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly certData: string | undefined;
  readonly certFile: string | undefined;
  readonly keyData: string | undefined;
  readonly keyFile: string | undefined;
  /** The `exec` section, passed through to the plugin runner. */
  readonly exec: unknown;
}

/** @throws Error with a message of one line */
export async function readKubeConfig(request: ReadRequest): Promise<ReadAccess> {
  const { KubeConfig, loadYaml } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  const tokenFiles = new Map<string, string>();
  if (request.files === undefined) config.loadFromCluster(request.podRoot);
  else {
    for (const [index, file] of request.files.entries()) {
      const one = index === 0 ? config : new KubeConfig();
      one.loadFromFile(file);
      if (index > 0) config.mergeConfig(one, true);
      for (const [user, tokenFile] of findTokenFiles(loadYaml(await readFile(file, 'utf8')), dirname(resolve(file)))) {
        tokenFiles.set(user, tokenFile);
      }
    }
  }
  return choose(config, request.context, tokenFiles);
}

/** `$KUBECONFIG` may name several files. */
export function splitPaths(value: string): string[] {
  return value.split(delimiter).filter((file) => file !== '');
}

function choose(config: KubeConfig, wanted: string | undefined, tokenFiles: ReadonlyMap<string, string>): ReadAccess {
  const contextName = wanted ?? config.getCurrentContext();
  if (!contextName) throw new Error('no current context; choose one with --context');
  const context = config.getContextObject(contextName);
  if (context === null) {
    const known = config.getContexts().map((c) => c.name);
    throw new Error(`no context named ${contextName}; there are: ${known.join(', ') || 'none'}`);
  }
  const cluster = config.getCluster(context.cluster);
  if (cluster === null) throw new Error(`context ${contextName}: no cluster named ${context.cluster}`);
  const user = config.getUser(context.user);
  if (user === null) throw new Error(`context ${contextName}: no user named ${context.user}`);
  if (cluster.proxyUrl) throw new Error(`cluster ${cluster.name}: proxy-url is not supported`);
  if (user.impersonateUser) throw new Error(`user ${user.name}: impersonation is not supported`);
  const provider: { name?: string; config?: { tokenFile?: string } } | undefined = user.authProvider ?? undefined;
  if (provider !== undefined && provider.name !== 'tokenFile') {
    throw new Error(`user ${user.name}: auth-provider ${provider.name} is not supported; use an exec plugin`);
  }
  return {
    contextName,
    server: cluster.server,
    namespace: context.namespace?.trim() || undefined,
    caData: cluster.caData || undefined,
    caFile: cluster.caFile || undefined,
    tlsServerName: cluster.tlsServerName || undefined,
    skipTlsVerify: cluster.skipTLSVerify === true,
    user: {
      name: user.name,
      token: user.token || undefined,
      tokenFile: provider?.config?.tokenFile ?? tokenFiles.get(user.name),
      username: user.username || undefined,
      password: user.password || undefined,
      certData: user.certData || undefined,
      certFile: user.certFile || undefined,
      keyData: user.keyData || undefined,
      keyFile: user.keyFile || undefined,
      exec: user.exec ?? undefined,
    },
  };
}

/** client-node ignores kubectl's `tokenFile`; it reads a misspelt `token-file`, and only once. */
function findTokenFiles(config: unknown, folder: string): [string, string][] {
  const { users } = (config ?? {}) as { users?: readonly { name?: string; user?: { tokenFile?: string } }[] };
  if (!Array.isArray(users)) return [];
  return users.flatMap(({ name, user }) =>
    name !== undefined && user?.tokenFile ? [[name, resolve(folder, user.tokenFile)] as [string, string]] : [],
  );
}
