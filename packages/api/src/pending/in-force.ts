// What is asked for and what is in force: what pending-changes.ts compares, and what it says.

import type { MarekvsClusterSpec } from '../objects/cluster.ts';
import type { NodeTemplate } from '../objects/node.ts';
import type { Reason } from '../reasons/reasons.ts';

export interface PendingChange {
  /** Path from the root of the object. */
  readonly field: string;
  readonly asked: string;
  /** What is in force instead. */
  readonly effective: string;
  readonly reason: Reason;
  readonly why: string;
  readonly wayOut: string;
  /** It does not come into force by itself. */
  readonly needsPerson: boolean;
}

/** Why something is not in force, and what ends that. */
export type Waits = Pick<PendingChange, 'reason' | 'why' | 'wayOut' | 'needsPerson'>;

/** One node of a formed cluster that stays. */
export interface NodeInForce {
  readonly name: string;
  /** What its Pod was made from; undefined when that is an older template, which can no longer be read. */
  readonly template: NodeTemplate | undefined;
  /** Size of its volume as a quantity, and its VolumeAttributesClass; undefined while unknown. */
  readonly storageSize: string | undefined;
  readonly attributesClass: string | undefined;
  /** Why its volume is not yet what its node asks for. */
  readonly volumeWaits: Waits | undefined;
}

/** What is known about the password that a spec asks for. */
export interface AuthInForce {
  /** State of the Secret and the key that the spec names. */
  readonly secret: 'present' | 'missing' | 'invalid' | 'forbidden' | 'unknown';
  /** Members that answer without a password although one is asked for. */
  readonly openNodes: readonly string[];
  /** Members that require another password: that of another Secret, the previous one of this Secret, or any although
   *  none is asked for. */
  readonly oldNodes: readonly string[];
}

export interface InForce {
  readonly spec: MarekvsClusterSpec;
  /** The template of a Pod that has everything the spec asks for. */
  readonly template: NodeTemplate;
  /** Empty before the cluster is formed: its members have no clients yet and take up every change. */
  readonly nodes: readonly NodeInForce[];
  readonly auth: AuthInForce;
  /** The size that is worked towards; `presentNodes` is how many nodes count now. */
  readonly desiredNodes: number;
  /** The size was decided by load or hosts, and stays although spec.autoscale or hosts.onePerHost was taken out. */
  readonly isSizeKept: boolean;
  readonly presentNodes: number;
  /** What happens to a changed template: members are restarted one by one, or why they are not. */
  readonly rolling: Waits;
}
