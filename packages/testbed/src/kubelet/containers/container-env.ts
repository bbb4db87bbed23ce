// The environment a container would see: values, references to fields, Secrets and ConfigMaps, and $(VAR) expansion.
// Pure: references are looked up before. host-env.ts turns the result into one for a process on this machine.
import type { Container, Pod } from '../objects/objects.ts';

/** Keys and decoded values of a Secret or ConfigMap; undefined when there is none of that name. */
export type KeyLookup = (kind: 'Secret' | 'ConfigMap', name: string) => Readonly<Record<string, string>> | undefined;

export interface EnvContext {
  readonly podIp: string;
  readonly nodeName: string;
  readonly hostIp: string;
  readonly lookup: KeyLookup;
}

export type EnvOutcome =
  | { readonly kind: 'env'; readonly env: Record<string, string> }
  /** The container cannot be created yet; the message is what the real kubelet says. */
  | { readonly kind: 'missing'; readonly message: string };

/** Which Secrets and ConfigMaps `resolveEnv` will ask for. */
export function referencesOf(container: Container): { readonly kind: 'Secret' | 'ConfigMap'; readonly name: string }[] {
  const found = new Map<string, { readonly kind: 'Secret' | 'ConfigMap'; readonly name: string }>();
  const add = (kind: 'Secret' | 'ConfigMap', name: string | undefined): void => {
    if (name !== undefined && name !== '') found.set(`${kind}/${name}`, { kind, name });
  };
  for (const source of container.envFrom ?? []) {
    add('Secret', source.secretRef?.name);
    add('ConfigMap', source.configMapRef?.name);
  }
  for (const one of container.env ?? []) {
    add('Secret', one.valueFrom?.secretKeyRef?.name);
    add('ConfigMap', one.valueFrom?.configMapKeyRef?.name);
  }
  return [...found.values()];
}

/** Later entries win, and may refer to earlier ones by $(NAME). */
export function resolveEnv(pod: Pod, container: Container, context: EnvContext): EnvOutcome {
  const env: Record<string, string> = { HOSTNAME: pod.spec.hostname ?? pod.metadata.name };
  for (const source of container.envFrom ?? []) {
    const reference = source.secretRef ?? source.configMapRef;
    const kind = source.secretRef === undefined ? 'ConfigMap' : 'Secret';
    const keys = context.lookup(kind, reference?.name ?? '');
    if (keys === undefined && reference?.optional !== true) return missing(kind, reference?.name);
    for (const [key, value] of Object.entries(keys ?? {})) env[`${source.prefix ?? ''}${key}`] = value;
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (valueFrom === undefined) {
      env[name] = expand(value ?? '', env);
      continue;
    }
    const keyRef = valueFrom.secretKeyRef ?? valueFrom.configMapKeyRef;
    if (keyRef === undefined) {
      env[name] = fieldOf(pod, valueFrom.fieldRef?.fieldPath ?? '', context);
      continue;
    }
    const kind = valueFrom.secretKeyRef === undefined ? 'ConfigMap' : 'Secret';
    const keys = context.lookup(kind, keyRef.name ?? '');
    const found = keys?.[keyRef.key];
    if (found !== undefined) env[name] = found;
    else if (keyRef.optional === true) continue;
    else if (keys === undefined) return missing(kind, keyRef.name);
    else
      return {
        kind: 'missing',
        message: `couldn't find key ${keyRef.key} in ${kind} ${pod.metadata.namespace}/${keyRef.name}`,
      };
  }
  // A member would find its address by the routes of its machine, which all Pods share here.
  if (env.MAREKVS_ADVERTISE_IP === 'auto') env.MAREKVS_ADVERTISE_IP = context.podIp;
  return { kind: 'env', env };
}

function missing(kind: string, name: string | undefined): EnvOutcome {
  return { kind: 'missing', message: `${kind.toLowerCase()} "${name ?? ''}" not found` };
}

/** An empty string for fields that no Pod of ours refers to (resourceFieldRef among them). */
function fieldOf(pod: Pod, path: string, context: EnvContext): string {
  switch (path) {
    case 'status.podIP':
    case 'status.podIPs':
      return context.podIp;
    case 'status.hostIP':
      return context.hostIp;
    case 'spec.nodeName':
      return context.nodeName;
    case 'spec.serviceAccountName':
      return pod.spec.serviceAccountName ?? 'default';
    case 'metadata.name':
      return pod.metadata.name;
    case 'metadata.namespace':
      return pod.metadata.namespace;
    case 'metadata.uid':
      return pod.metadata.uid;
    default:
      return mapFieldOf(pod, path);
  }
}

function mapFieldOf(pod: Pod, path: string): string {
  const match = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path);
  if (match === null) return '';
  const from = match[1] === 'labels' ? pod.metadata.labels : pod.metadata.annotations;
  return from?.[match[2] ?? ''] ?? '';
}

/** `$(NAME)` becomes the value when it is known and stays otherwise; `$$(NAME)` is an escaped `$(NAME)`. */
function expand(value: string, env: Readonly<Record<string, string>>): string {
  return value.replace(/\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? whole),
  );
}
