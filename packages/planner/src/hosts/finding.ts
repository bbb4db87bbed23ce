// What is known of the host of a member that does not answer, and of where else its volume could be. Read live by the
// operator, and only on that sign: hosts are too many to be watched for this.

export interface HostFinding {
  /** Its name; of a Pod without a host, where its volume could be. For people. */
  readonly host: string;
  /** `notReady`: there, and its kubelet does not report. `outOfService`: not ready, and a person has marked it by taint
   *  as off. `gone`: there is no such Node. `unknown`: nobody may tell. `notAsked`: an answer is on its way. */
  readonly state: 'ready' | 'notReady' | 'outOfService' | 'gone' | 'unknown' | 'notAsked';
  /** For how long it has been neither ready nor unknown: by our own steady clock, and where the Node says since
   *  when, no longer than that. */
  readonly awayForMs: number;
  /** `bound`: no host that is ready could mount it. */
  readonly volume: 'bound' | 'movable' | 'unknown';
  /** Why nothing is known, as half a sentence; undefined when it is. */
  readonly unknown: string | undefined;
  /** Other hosts of ours that went away at about the same time, of whatever cluster. */
  readonly otherHosts: number;
}

/** A host that is gone, or that a person calls off, was found so twice. */
export const CONFIRM_MS = 30_000;

/** Nothing of it runs any more, as far as Kubernetes can know. */
export function isOff({ state, awayForMs }: HostFinding): boolean {
  return (state === 'gone' || state === 'outOfService') && awayForMs >= CONFIRM_MS;
}

/** Milliseconds until it counts as off, which nothing else would tell; undefined while it does, or is not about to. */
export function offInMs(finding: HostFinding | undefined): number | undefined {
  if (finding === undefined || isOff(finding)) return undefined;
  const isNearly = finding.state === 'gone' || finding.state === 'outOfService';
  return isNearly ? CONFIRM_MS - finding.awayForMs : undefined;
}

/** It does not report, for whatever reason. */
export function isAway({ state }: Pick<HostFinding, 'state'>): boolean {
  return state === 'notReady' || state === 'gone' || state === 'outOfService';
}

/** What a person types when a host that does not report never will again. */
export function whatIfOff(host: string): string {
  return `if it is off for good, kubectl delete node ${host}, or taint it node.kubernetes.io/out-of-service`;
}
