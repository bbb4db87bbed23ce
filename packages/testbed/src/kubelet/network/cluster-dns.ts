// What cluster DNS would answer for headless Services, and the same as a hosts file. Pure.
import { matches } from '@marekvs/simulator/scheduling';
import { keyOf, type Pod, type Service } from '../objects/objects.ts';

/** A Pod that has its address. */
export interface AddressedPod {
  readonly pod: Pod;
  readonly ip: string;
  readonly isReady: boolean;
}

/** Addresses behind `name` as asked from a Pod of `namespace`; undefined when no Service has that name.
 *  Understands `svc`, `svc.ns`, `svc.ns.svc`, `svc.ns.svc.cluster.local`, each also with a Pod's host name in front. */
export function resolveClusterName(
  name: string,
  namespace: string,
  services: readonly Service[],
  pods: readonly AddressedPod[],
): readonly string[] | undefined {
  const parts = name
    .replace(/\.$/, '')
    .replace(/\.cluster\.local$/, '')
    .replace(/\.svc$/, '')
    .split('.');
  for (const [host, service] of readings(parts, namespace)) {
    const found = services.find((one) => keyOf(one) === service);
    if (found === undefined) continue;
    const behind = podsBehind(found, pods);
    return (host === undefined ? behind : behind.filter((one) => hostNameIn(one.pod, found) === host)).map(
      (one) => one.ip,
    );
  }
  return undefined;
}

/** `a.b` may be a Service `a` in namespace `b`, or a Pod `a` behind Service `b` here. */
function readings(parts: readonly string[], namespace: string): [string | undefined, string][] {
  const [a = '', b = '', c = ''] = parts;
  if (parts.length === 1) return [[undefined, `${namespace}/${a}`]];
  if (parts.length === 2)
    return [
      [undefined, `${b}/${a}`],
      [a, `${namespace}/${b}`],
    ];
  if (parts.length === 3) return [[a, `${c}/${b}`]];
  return [];
}

/** Pods that the Service selects and that its readiness rule lets through, by address. */
export function podsBehind(service: Service, pods: readonly AddressedPod[]): AddressedPod[] {
  const { selector, publishNotReadyAddresses } = service.spec ?? {};
  if (selector === undefined || Object.keys(selector).length === 0) return [];
  return pods
    .filter(
      ({ pod, isReady }) =>
        pod.metadata.namespace === service.metadata.namespace &&
        matches({ matchLabels: selector }, pod.metadata.labels) &&
        (isReady || publishNotReadyAddresses === true),
    )
    .toSorted((a, b) => (a.ip < b.ip ? -1 : 1));
}

function hostNameIn(pod: Pod, service: Service): string | undefined {
  return pod.spec.subdomain === service.metadata.name ? (pod.spec.hostname ?? pod.metadata.name) : undefined;
}

/** /etc/hosts with one line per address and name; a name may have several lines. */
export function renderHosts(services: readonly Service[], pods: readonly AddressedPod[]): string {
  const lines: string[] = [];
  for (const service of services) {
    const { name, namespace } = service.metadata;
    for (const { pod, ip } of podsBehind(service, pods)) {
      const full = `${name}.${namespace}.svc`;
      lines.push(`${ip} ${full}.cluster.local ${full} ${name}.${namespace}`);
      const host = hostNameIn(pod, service);
      if (host !== undefined) lines.push(`${ip} ${host}.${full}.cluster.local ${host}.${full}`);
    }
  }
  return lines.length === 0 ? '' : `${lines.toSorted().join('\n')}\n`;
}
