// The steps of the cluster controller, each of them one write, and why a node is made. cluster-plan.ts decides which
// step is next.

import type { AdoptedData } from '../observation/adoption-found.ts';
import type { RevisionRecord } from '../observation/cluster-record.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import type { HandedChild } from '../observation/release-seen.ts';
import type { VolumeRecord } from '../observation/volume-record.ts';

/** One write of the cluster controller. The executor adds the preconditions. */
export type ClusterStep =
  | {
      readonly kind: 'createNode';
      readonly id: number;
      readonly why: NodeOrigin;
      /** The revision it is made from. Undefined: the template that the spec asks for. */
      readonly revision?: string;
      readonly adopts?: AdoptedData;
    }
  | { readonly kind: 'setServing'; readonly node: NodeRecord; readonly serving: boolean }
  | { readonly kind: 'setSeeds'; readonly node: NodeRecord; readonly seeds: readonly string[] }
  /** In one write: out of the client Service, told to leave, and marked with the operation. */
  | { readonly kind: 'isolate'; readonly node: NodeRecord; readonly operationId: string }
  /** The permit to restart the isolated member with its door closed. What its Pod runs is written down with it, since
   *  the next Pod has to run the same. */
  | {
      readonly kind: 'sealNode';
      readonly node: NodeRecord;
      readonly pod: PodRecord;
      /** Of the process that is to end. */
      readonly generation: number;
      readonly operationId: string;
    }
  /** Undoes `isolate` and `sealNode`: back behind the Service, Active again, no mark. */
  | { readonly kind: 'reinstate'; readonly node: NodeRecord }
  /** The permit to restart: the Pod of an isolated member may be recreated from this template. The node stays marked
   *  and out of the Service. */
  | {
      readonly kind: 'restartNode';
      readonly node: NodeRecord;
      readonly revision: string;
      readonly operationId: string;
    }
  /** The permit to resize: the running Pod may get this template's resources in place. Its member goes on serving. */
  | {
      readonly kind: 'resizeNode';
      readonly node: NodeRecord;
      readonly revision: string;
      readonly operationId: string;
    }
  /** Ends a turn: takes the mark off. `serving` is false when the member failed and stays out of the Service. */
  | { readonly kind: 'endRestart'; readonly node: NodeRecord; readonly serving: boolean }
  /** Ends the Pod; no new one is made while `stopped` is set. The volume is kept. */
  | { readonly kind: 'stopNode'; readonly node: NodeRecord; readonly how: 'Suspended' | 'Hibernated' }
  /** Undoes Suspended, as the first half of the end of a turn: the Pod is recreated on its volume, while the node stays
   *  marked and out of the Service. */
  | { readonly kind: 'resumeNode'; readonly node: NodeRecord; readonly operationId: string }
  /** Undoes Hibernated: the Pod is recreated on its volume. */
  | { readonly kind: 'startNode'; readonly node: NodeRecord }
  /** The point of no return: only for a marked node, and only while the live cluster still records the operation. */
  | { readonly kind: 'deleteNode'; readonly node: NodeRecord; readonly operationId: string }
  | { readonly kind: 'deleteVolume'; readonly volume: VolumeRecord; readonly operationId: string }
  /** What the volume should have. `grown`: that the volume fills up, as one sentence; the time is then written as
   *  well. */
  | {
      readonly kind: 'setStorage';
      readonly node: NodeRecord;
      readonly size?: string;
      readonly attributesClass?: string;
      readonly grown?: string;
    }
  /** Gives a Service or the PodDisruptionBudget the selector and labels of the existing operator, in one write. */
  | { readonly kind: 'handChild'; readonly child: HandedChild }
  /** Removes only the node: its Pod belongs to a StatefulSet. */
  | { readonly kind: 'dropNode'; readonly node: NodeRecord }
  /** Sets whether the volume is deleted with its cluster. */
  | { readonly kind: 'ownVolume'; readonly volume: VolumeRecord; readonly isOwned: boolean }
  /** The host is lost and the volume with it: a new node replaces this one. */
  | { readonly kind: 'markHostLost'; readonly node: NodeRecord; readonly host: string }
  /** The member came back before it was replaced: the node stays. */
  | { readonly kind: 'unmarkHostLost'; readonly node: NodeRecord }
  /** The host is being drained and the volume can be on no other: a new node joins, then this one goes by proof. */
  | { readonly kind: 'markHostDrained'; readonly node: NodeRecord; readonly host: string }
  /** The host takes Pods again, or the replacement is no longer asked for: the node counts again. */
  | { readonly kind: 'unmarkHostDrained'; readonly node: NodeRecord; readonly host: string }
  /** Sets the template that the next Pod is made from. */
  | { readonly kind: 'stampNode'; readonly node: NodeRecord; readonly revision: string }
  /** The next Pod is started with the password in force. The present Pod counts as made with it, too: its member
   *  already has that password. */
  | { readonly kind: 'stampPassword'; readonly node: NodeRecord }
  /** Clears the noted passwords: the member requires none of them any more. */
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
