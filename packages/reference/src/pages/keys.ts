// Labels, annotations and finalizers: where they are, who sets them, what they mean.

import { ANNOTATIONS, FINALIZERS, LABELS } from '@marekvs/api';
import { code, page, table } from '../text/markdown.ts';

interface KeyText {
  readonly on: string;
  readonly by: 'operator' | 'you';
  readonly meaning: string;
}

const LABEL_TEXTS: Readonly<Record<keyof typeof LABELS, KeyText>> = {
  name: { on: 'everything', by: 'operator', meaning: '`marekvs`' },
  instance: { on: 'everything', by: 'operator', meaning: 'name of the cluster' },
  component: {
    on: 'everything',
    by: 'operator',
    meaning: '`member`, or `cluster` for objects of which a cluster has one',
  },
  partOf: { on: 'everything', by: 'operator', meaning: '`marekvs`' },
  managedBy: {
    on: 'everything',
    by: 'operator',
    meaning: '`marekvs-operator`; the operator selects what it watches by this label',
  },
  cluster: {
    on: 'everything',
    by: 'operator',
    meaning: 'name of the cluster; together with managed-by it selects everything that belongs to it',
  },
  clusterUid: { on: 'everything', by: 'operator', meaning: 'UID of the cluster' },
  nodeId: { on: 'node, Pod, volume claim', by: 'operator', meaning: 'id of the member, bound to its volume' },
  serving: {
    on: 'Pod',
    by: 'operator',
    meaning: '`true` puts it behind the client Service; without the label it is not',
  },
  slot: {
    on: 'everything a cluster has',
    by: 'operator',
    meaning:
      'a number from 0 to 255, computed from namespace and name of the cluster; replicas that share the clusters watch by it',
  },
  protected: {
    on: 'node, volume claim',
    by: 'operator',
    meaning:
      '`true` while spec.deletionProtection is set; the policies of config/components/deletion-protection select by it',
  },
  secretUid: {
    on: 'ControllerRevision without a template',
    by: 'operator',
    meaning: 'UID of the Secret of spec.auth, which owns this object: when it is deleted, so was the Secret',
  },
  scrapers: {
    on: 'Namespace',
    by: 'you',
    meaning:
      '`allowed`: Pods of this namespace may read the figures of members and operator ([who may connect](../operations/clients.md#scrapers))',
  },
};

const ANNOTATION_TEXTS: Readonly<Record<keyof typeof ANNOTATIONS, KeyText>> = {
  removeFirst: { on: 'node', by: 'you', meaning: '`true`: the next node to be removed when one has to be' },
  forceRemove: {
    on: 'node',
    by: 'you',
    meaning: '`<uid of the node>/<reason>`: removes it without proof, in the same order; needs the verb force-remove',
  },
  acceptDiverging: {
    on: 'node',
    by: 'you',
    meaning:
      '`<uid of the node>/<reason>`: its removal does not wait for HyperLogLog registers that no other home has; repeated in its proof',
  },
  suspend: {
    on: 'node',
    by: 'you',
    meaning:
      'who wants its Pod off its volume, and why; when the annotation is removed, the member runs again. With `only-copy/` in front: even if a key has only one home',
  },
  removal: {
    on: 'node',
    by: 'operator',
    meaning: 'id of the operation that removes the node, or restarts it with another template',
  },
  mayRestart: {
    on: 'node',
    by: 'operator',
    meaning: 'UID of its Pod that was told to leave and may be restarted to stay, since what it has was compared',
  },
  leaving: { on: 'Pod', by: 'operator', meaning: '`true` from just before its member is told to leave' },
  hostLost: {
    on: 'node, volume claim',
    by: 'operator',
    meaning:
      '`<uid of the node>/<host>`: its volume exists only on that host, which is lost, and a new node takes its place; on a kept claim `<host>`: no new node uses the claim until you remove this',
  },
  hostDrained: {
    on: 'node, volume claim',
    by: 'operator',
    meaning:
      '`<uid of the node>/<host>`: its volume exists only on that host, which is being drained, and a new node takes its place; on a kept claim `<host>`: no new node uses the claim until you remove this',
  },
  share: {
    on: 'Lease of a replica',
    by: 'operator',
    meaning:
      '`ring <generation>` or `static <generation>`, by the mode of the replica: it takes the slots that marekvs.io/shares gives it, and has released those that this generation took from it',
  },
  shareFormat: {
    on: 'Lease of a replica, Lease of the leader',
    by: 'operator',
    meaning:
      '`<version>/<slots>`, the format of what this Lease says about slots; a replica with another format takes no part while one with this format is left',
  },
  shareWaiting: {
    on: 'Lease of a replica',
    by: 'operator',
    meaning: 'why the replica is not working on its slots yet; empty when it is',
  },
  load: {
    on: 'Lease of a replica, or of the leader',
    by: 'operator',
    meaning: 'the load of the replica, as of its last renewal',
  },
  namespaces: {
    on: 'Lease of a replica, or of the leader',
    by: 'operator',
    meaning: 'if the list of namespaces can change: how many are managed, which are not, and why',
  },
  sharedBy: {
    on: 'Lease of the leader',
    by: 'operator',
    meaning:
      'the holder of the Lease, if it is one of several replicas that share the clusters; with another name the holder leads alone',
  },
  shares: {
    on: 'Lease of the leader',
    by: 'operator',
    meaning: 'which replica has each slot now, and which had it before, with a checksum',
  },
  detachedAt: { on: 'volume claim', by: 'operator', meaning: 'when its node left' },
  lastActiveAt: { on: 'volume claim', by: 'operator', meaning: 'when its member was last known to be Active' },
  highestNodeId: {
    on: 'one volume claim of a cluster',
    by: 'operator',
    meaning:
      'the highest node id ever used, if the claim of that id is gone; no id up to it is given to a new member, not even by a cluster that is created again on these volumes',
  },
  passwordSecrets: {
    on: 'node',
    by: 'operator',
    meaning:
      '`<secret>/<key>`, separated by commas: passwords that its member may require besides the one in spec.template; written before the member is given another',
  },
  restampedPod: {
    on: 'node',
    by: 'operator',
    meaning:
      '`<uid of its Pod>/<revision on it>/<revision>`: this Pod counts as having the last revision, which differs from its own only in the Secret of the password',
  },
  volumeGrownAt: {
    on: 'node',
    by: 'operator',
    meaning: 'when spec.storage.autoGrow last raised spec.storage.size of this node; its cool-down counts from then',
  },
  acceptedNodes: {
    on: 'cluster',
    by: 'you',
    meaning:
      'confirms a value of spec.nodes that was already there before spec.autoscale was removed, with the time of the decision that it replaces: `3/<status.autoscale.since>`; `kubectl mkv scale` writes it',
  },
  rolloutApproved: {
    on: 'cluster',
    by: 'you',
    meaning: 'the revision whose update may continue after its canaries; `kubectl mkv rollout approve` writes it',
  },
  rolloutPaused: { on: 'cluster', by: 'you', meaning: '`true`: no further member is restarted for a changed template' },
  rolloutRetry: {
    on: 'cluster',
    by: 'you',
    meaning: 'a new value lets a stopped update try again; `kubectl mkv rollout retry` writes it',
  },
  resize: {
    on: 'node',
    by: 'operator',
    meaning:
      '`<uid of its Pod>/<revision>/<operation>`: this Pod may get the resources of this revision without a restart',
  },
  resized: {
    on: 'Pod',
    by: 'operator',
    meaning: 'the operation that gave the Pod other resources without a restart, written once the host confirmed them',
  },
  templateHash: {
    on: 'Pod',
    by: 'operator',
    meaning: 'the template it was made from, or the one whose resources it got without a restart',
  },
  seeds: { on: 'Pod', by: 'operator', meaning: 'explicit gossip seeds that it was started with' },
  startAfterOutage: {
    on: 'cluster',
    by: 'you',
    meaning:
      'a reason, in any words: members start one by one although all were away for `gcGraceSeconds`, and drop what only they hold; remove it afterwards',
  },
  adopt: {
    on: 'cluster',
    by: 'you',
    meaning:
      'which members of a StatefulSet the cluster takes over, written by `kubectl mkv adopt`; without effect once the cluster is formed',
  },
  release: {
    on: 'cluster',
    by: 'you',
    meaning:
      '`<its uid>/<status.formed.at>`: its members are to be handed over to a StatefulSet. Written by `kubectl mkv release`; without effect once that is done',
  },
  keptVolume: {
    on: 'node',
    by: 'operator',
    meaning: 'UID of the kept volume claim that the node was created for; its member starts on no other',
  },
  adoptedVolume: {
    on: 'node',
    by: 'operator',
    meaning: 'UID of the volume claim that the node was created to take over',
  },
  dataDir: {
    on: 'node, volume claim',
    by: 'operator',
    meaning: 'where a Pod finds the data on a volume that was taken over',
  },
  acknowledgedLoss: {
    on: 'cluster',
    by: 'you',
    meaning:
      '`<time of the loss>/<when>/<who>`: who has acknowledged that data is lost. Written by `kubectl mkv acknowledge`; a value that names no reported loss is ignored',
  },
  verify: {
    on: 'cluster',
    by: 'you',
    meaning:
      'asks for a comparison of the members’ contents; any new value asks again, and `status.verification.requested` says which one was answered. `kubectl mkv verify` writes it',
  },
  appliedHash: {
    on: 'Service, disruption budget, network policy',
    by: 'operator',
    meaning: 'what was last applied, to tell which parts are no longer wanted',
  },
  deleteKind: {
    on: 'CustomResourceDefinition',
    by: 'you',
    meaning: '`true`: the definition may be deleted, and with it all its objects, protected or not',
  },
};

const FINALIZER_TEXTS: Readonly<Record<keyof typeof FINALIZERS, string>> = {
  memberSafeRemoval:
    'On a node: keeps the object until its member has left safely. Removing it by hand skips the proof.',
};

export function keysPage(): string {
  const rows = (keys: Readonly<Record<string, string>>, texts: Readonly<Record<string, KeyText>>) =>
    table(
      ['key', 'on', 'set by', 'meaning'],
      Object.entries(keys).map(([name, key]) => {
        const { on = '', by = 'operator', meaning = '' } = texts[name] ?? {};
        return [code(key), on, by, meaning];
      }),
    );
  return page({
    title: 'Labels, annotations and finalizers',
    source: 'packages/api/src/names/labels.ts and packages/reference/src/pages/keys.ts',
    blocks: [
      '## Labels',
      rows(LABELS, LABEL_TEXTS),
      '## Annotations',
      rows(ANNOTATIONS, ANNOTATION_TEXTS),
      '## Finalizers',
      table(
        ['key', 'meaning'],
        Object.entries(FINALIZERS).map(([name, key]) => [
          code(key),
          FINALIZER_TEXTS[name as keyof typeof FINALIZER_TEXTS],
        ]),
      ),
    ],
  });
}
