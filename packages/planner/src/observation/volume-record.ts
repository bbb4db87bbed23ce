// What is known of a volume: its claim, its growth, and what its labels and annotations record.

/** The part of a PersistentVolumeClaim that decisions rest on. */
export interface VolumeRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Node id from its label; undefined when the label is missing or not a number. */
  readonly nodeId: number | undefined;
  readonly clusterName: string | undefined;
  readonly isTerminating: boolean;
  readonly isBound: boolean;
  /** For a claim that waits for its volume: who is to provision it, as far as the claim says. Undefined once the claim
   *  has a volume, or has lost it. */
  readonly provisioning:
    | { readonly className: string | undefined; readonly provisioner: string | undefined }
    | undefined;
  readonly createdAtMs: number;
  readonly requestedSize: string | undefined;
  /** Its actual size by the status of the claim; undefined until that is set. */
  readonly capacity: string | undefined;
  /** An expansion that has not finished, as the claim reports it. */
  readonly growth: VolumeGrowth | undefined;
  readonly attributes: VolumeAttributes;
  /** UID of the cluster it was made for, from its label. */
  readonly clusterUid: string | undefined;
  /** UIDs of its owners. The cluster is one of them while the volume is to be deleted with it. */
  readonly ownerUids: readonly string[];
  /** When its node detached it, and when its member was last Active; undefined when not recorded. */
  readonly detachedAtMs: number | undefined;
  readonly lastActiveAtMs: number | undefined;
  /** The highest id its cluster has ever used; undefined unless this claim was made to record it. */
  readonly highestNodeId: number | undefined;
  readonly isProtected: boolean;
  /** Folder of the data on a volume that was taken over; undefined: the node's own folder. */
  readonly dataDir: string | undefined;
  /** The lost host it was on; undefined when it was not detached for that. */
  readonly hostLost: string | undefined;
  /** The drained host it is on; undefined when it was not detached for that. */
  readonly hostDrained: string | undefined;
}

/** `fileSystem`: the volume has grown, but not yet its file system. `failed`: with the message of the claim. */
export type VolumeGrowth =
  | { readonly kind: 'underWay' | 'fileSystem'; readonly sinceMs: number }
  | { readonly kind: 'failed'; readonly message: string };

/** The VolumeAttributesClass a claim asks for, and the one its volume has; `problem` as the claim reports it. */
export interface VolumeAttributes {
  readonly asked: string | undefined;
  readonly current: string | undefined;
  readonly problem: string | undefined;
}
