// What can be done for a cluster, one write a step, and why a node is made. Which of them is next, cluster-plan.ts
// decides.

import type { AdoptedData } from './adoption-found.ts';
import type { NodeRecord, RevisionRecord, VolumeRecord } from './observation.ts';
import type { HandedChild } from './releasing/seen.ts';

/** One write of the cluster controller. The executor adds the preconditions. */
export type ClusterStep =
  | {
      readonly kind: 'createNode';
      readonly id: number;
      readonly why: NodeOrigin;
      /** What it is made from; undefined: the template that is asked for. */
      readonly revision?: string;
      readonly adopts?: AdoptedData;
    }
  | { readonly kind: 'setServing'; readonly node: NodeRecord; readonly serving: boolean }
  | { readonly kind: 'setSeeds'; readonly node: NodeRecord; readonly seeds: readonly string[] }
  /** Out of the client Service, told to leave, and marked with the operation: one write. */
  | { readonly kind: 'isolate'; readonly node: NodeRecord; readonly operationId: string }
  /** The reverse: back behind the Service, Active again, no mark. */
  | { readonly kind: 'reinstate'; readonly node: NodeRecord }
  /** The permit to restart: an isolated member's Pod may be made again from this template. It stays
   *  marked and out of the Service. */
  | {
      readonly kind: 'restartNode';
      readonly node: NodeRecord;
      readonly revision: string;
      readonly operationId: string;
    }
  /** The permit to resize: its running Pod may get the resources of this template where it is. It goes on serving. */
  | {
      readonly kind: 'resizeNode';
      readonly node: NodeRecord;
      readonly revision: string;
      readonly operationId: string;
    }
  /** The restarted member is one of the others again, and its mark is taken off; or it failed and stays out of the
   *  Service. */
  | { readonly kind: 'endRestart'; readonly node: NodeRecord; readonly serving: boolean }
  /** Its Pod ends, and none is made while this stands; the volume is kept. */
  | { readonly kind: 'stopNode'; readonly node: NodeRecord; readonly how: 'Suspended' | 'Hibernated' }
  /** The reverse of Suspended, the first half of a turn's end: marked and out of the Service, its Pod is
   *  made again on its volume. */
  | { readonly kind: 'resumeNode'; readonly node: NodeRecord; readonly operationId: string }
  /** The reverse of Hibernated: its Pod is made again on its volume. */
  | { readonly kind: 'startNode'; readonly node: NodeRecord }
  /** Only of a marked node, and only while the live cluster still says so: the point of no return. */
  | { readonly kind: 'deleteNode'; readonly node: NodeRecord; readonly operationId: string }
  | { readonly kind: 'deleteVolume'; readonly volume: VolumeRecord; readonly operationId: string }
  /** What the volume of the node shall be. `grown`: it fills up, in one sentence, and the time of it is written as
   *  well. */
  | {
      readonly kind: 'setStorage';
      readonly node: NodeRecord;
      readonly size?: string;
      readonly attributesClass?: string;
      readonly grown?: string;
    }
  /** A Service or the budget gets the selector and the labels of the existing operator's, in one write. */
  | { readonly kind: 'handChild'; readonly child: HandedChild }
  /** Its Pod is a StatefulSet's: the node goes alone. */
  | { readonly kind: 'dropNode'; readonly node: NodeRecord }
  /** Whether the volume goes with its cluster. */
  | { readonly kind: 'ownVolume'; readonly volume: VolumeRecord; readonly isOwned: boolean }
  /** Its host is lost and its volume with it: it is replaced by a new node. */
  | { readonly kind: 'markHostLost'; readonly node: NodeRecord; readonly host: string }
  /** Its member is back before it was replaced: it stays. */
  | { readonly kind: 'unmarkHostLost'; readonly node: NodeRecord }
  /** Its host is being drained and its volume can be on no other: it is replaced by a new node, and goes by proof. */
  | { readonly kind: 'markHostDrained'; readonly node: NodeRecord; readonly host: string }
  /** Its host takes Pods again, or nobody wants it to be replaced any more: it counts again. */
  | { readonly kind: 'unmarkHostDrained'; readonly node: NodeRecord; readonly host: string }
  /** What its next Pod is made from. */
  | { readonly kind: 'stampNode'; readonly node: NodeRecord; readonly revision: string }
  /** Its next Pod is started with the password that is in force, and its Pod of now counts as made
   *  like that: its member has it. */
  | { readonly kind: 'stampPassword'; readonly node: NodeRecord }
  /** Its member wants none of the passwords that were noted. */
  | { readonly kind: 'forgetPasswords'; readonly node: NodeRecord }
  | { readonly kind: 'storeRevision'; readonly hash: string }
  | { readonly kind: 'dropRevision'; readonly revision: RevisionRecord }
  | { readonly kind: 'protectNode'; readonly node: NodeRecord; readonly isProtected: boolean }
  | { readonly kind: 'protectVolume'; readonly volume: VolumeRecord; readonly isProtected: boolean }
  | { readonly kind: 'rememberId'; readonly volume: VolumeRecord; readonly id: number };

/** Why a MarekvsNode is created: for an event and for the reader of a log. */
export type NodeOrigin =
  | 'Forming'
  | 'Adopting'
  | 'ScalingUp'
  | 'MemberWithoutNode'
  | 'VolumeLost'
  | 'HostLost'
  | 'HostDrained'
  | 'Replacement'
  | 'RolledBack';
