// The project's folders, and where this project keeps files between runs.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const KUBERNETES_VERSION = 'v1.36.3';

/** The top of the project's tree. */
export const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** The Go module that lists the control plane's programs as tools. */
export const goModuleFolder = fileURLToPath(new URL('../control-plane/', import.meta.url));

export const HELM_VERSION = 'v4.3.1';

/** The Go module that lists Helm as a tool. A separate one, because Helm needs other versions of the same libraries. */
export const helmModuleFolder = fileURLToPath(new URL('../helm/', import.meta.url));

type Environment = Readonly<Record<string, string | undefined>>;

/** What is made once per machine and user. Safe to delete at any time. */
export function cacheFolder(env: Environment = process.env): string {
  const base = env.XDG_CACHE_HOME;
  return join(base !== undefined && base !== '' ? base : join(env.HOME ?? homedir(), '.cache'), 'marekvs-operator');
}

/** The folder of this version's control plane for this kind of machine. */
export function controlPlaneFolder(env: Environment = process.env): string {
  return join(cacheFolder(env), 'control-plane', `${KUBERNETES_VERSION}-${process.platform}-${goArch(process.arch)}`);
}

/** The folder of this version of Helm for this kind of machine. */
export function helmFolder(env: Environment = process.env): string {
  return join(cacheFolder(env), 'helm', `${HELM_VERSION}-${process.platform}-${goArch(process.arch)}`);
}

function goArch(arch: string): string {
  if (arch === 'x64') return 'amd64';
  return arch;
}
