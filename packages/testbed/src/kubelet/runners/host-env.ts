// From a container's environment to that of a process which shares our file system and our network:
// mount paths become folders, wildcard listeners the Pod's address, loopback the Pod's own one, headless names the
// addresses cluster DNS would give. Pure.

export interface HostView {
  readonly podIp: string;
  readonly loopbackIp: string;
  readonly mounts: readonly Mount[];
  /** The addresses behind a name; undefined when it is not a name of the cluster. */
  resolveName(name: string): readonly string[] | undefined;
}

export interface Mount {
  readonly mountPath: string;
  readonly hostPath: string;
}

/** The store's four listeners and their ports where the environment names none (docs/design/server.md#settings). */
const LISTENERS: Readonly<Record<string, number>> = {
  MAREKVS_RESP_ADDR: 6379,
  MAREKVS_MESH_ADDR: 7373,
  MAREKVS_GOSSIP_ADDR: 7946,
  MAREKVS_METRICS_ADDR: 9121,
};

/** @param options.resolveSeeds replaces names in MAREKVS_SEEDS, for programs that would ask a DNS
 *  server that does not exist here */
export function toHostEnv(
  env: Readonly<Record<string, string>>,
  host: HostView,
  options: { readonly resolveSeeds: boolean },
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) result[name] = replaceMounts(value, host.mounts);
  for (const [name, port] of Object.entries(LISTENERS)) result[name] = bindToPod(result[name], port, host);
  const seeds = result.MAREKVS_SEEDS;
  if (seeds !== undefined && options.resolveSeeds) result.MAREKVS_SEEDS = resolveSeeds(seeds, host);
  return result;
}

function bindToPod(address: string | undefined, defaultPort: number, { podIp, loopbackIp }: HostView): string {
  if (address === undefined || address === '') return `${podIp}:${defaultPort}`;
  return address.replace(/^(0\.0\.0\.0|\[::\]|\*)?:/, `${podIp}:`).replace(/^127\.0\.0\.1:/, `${loopbackIp}:`);
}

/** Longest mount path first: `/data/log` before `/data`. Only whole path segments: `/database` is not below `/data`. */
function replaceMounts(value: string, mounts: readonly Mount[]): string {
  for (const { mountPath, hostPath } of mounts.toSorted((a, b) => b.mountPath.length - a.mountPath.length)) {
    const path = mountPath.replace(/\/+$/, '');
    if (path !== '' && (value === path || value.startsWith(`${path}/`))) return hostPath + value.slice(path.length);
  }
  return value;
}

function resolveSeeds(seeds: string, host: HostView): string {
  const entries = seeds
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .flatMap((entry) => {
      const at = entry.lastIndexOf(':');
      const name = at === -1 ? entry : entry.slice(0, at);
      const port = at === -1 ? '' : entry.slice(at);
      const addresses = host.resolveName(name);
      return addresses === undefined ? [entry] : addresses.map((address) => `${address}${port}`);
    });
  return [...new Set(entries)].join(',');
}
