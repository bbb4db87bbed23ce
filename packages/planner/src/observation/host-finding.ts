// What is known of the host of a member that does not answer, and of where else its volume could be. Read live by the
// operator, and only then: there are too many hosts to watch them for this.

export interface HostFinding {
  /** For people: its name; for a Pod without a host, where its volume could be. */
  readonly host: string;
  /** `notReady`: its kubelet does not report. `outOfService`: not ready, and a person has marked it as off by taint.
   *  `gone`: no such Node exists. `unknown`: the read failed or is forbidden. `notAsked`: an answer is on its way. */
  readonly state: 'ready' | 'notReady' | 'outOfService' | 'gone' | 'unknown' | 'notAsked';
  /** How long it has been neither ready nor unknown, by our own monotonic clock. Where the Node says since when, no
   *  longer than that. */
  readonly awayForMs: number;
  /** `bound`: no ready host could mount it. */
  readonly volume: 'bound' | 'movable' | 'unknown';
  /** Why nothing is known, as half a sentence; undefined when it is. */
  readonly unknown: string | undefined;
  /** Other hosts of ours that went away at about the same time, of whatever cluster. */
  readonly otherHosts: number;
}

/** For this long a host has to be found gone or out of service before it counts as off, so it was found so twice. */
export const CONFIRM_MS = 30_000;

/** Nothing on the host runs any more, as far as Kubernetes can know. */
export function isOff({ state, awayForMs }: HostFinding): boolean {
  return (state === 'gone' || state === 'outOfService') && awayForMs >= CONFIRM_MS;
}

/** Milliseconds until the host counts as off; undefined when it does, or is not about to. No event would come. */
export function offInMs(finding: HostFinding | undefined): number | undefined {
  if (finding === undefined || isOff(finding)) return undefined;
  const isNearly = finding.state === 'gone' || finding.state === 'outOfService';
  return isNearly ? CONFIRM_MS - finding.awayForMs : undefined;
}

/** The host does not report, for whatever reason. */
export function isAway({ state }: Pick<HostFinding, 'state'>): boolean {
  return state === 'notReady' || state === 'gone' || state === 'outOfService';
}

/** What a person types when a host that does not report never will again. */
export function whatIfOff(host: string): string {
  return `if it is off for good, kubectl delete node ${host}, or taint it node.kubernetes.io/out-of-service`;
}
