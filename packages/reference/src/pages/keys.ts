// Labels, annotations and finalizers: where they are, who sets them, what they mean.

import { ANNOTATIONS, FINALIZERS, LABELS } from '@marekvs/api';
import { code, page, table } from '../markdown.ts';

interface KeyText {
  readonly on: string;
  readonly by: 'operator' | 'you';
  readonly meaning: string;
}

const LABEL_TEXTS: Readonly<Record<keyof typeof LABELS, KeyText>> = {
  name: { on: 'everything', by: 'operator', meaning: '`marekvs`' },
  instance: { on: 'everything', by: 'operator', meaning: 'name of the cluster' },
  component: { on: 'everything', by: 'operator', meaning: '`member`, or `cluster` for what a cluster has once' },
  partOf: { on: 'everything', by: 'operator', meaning: '`marekvs`' },
  managedBy: { on: 'everything', by: 'operator', meaning: '`marekvs-operator`; the operator watches by it' },
  cluster: {
    on: 'everything',
    by: 'operator',
    meaning: 'name of the cluster; with managed-by the selector of all of it',
  },
  clusterUid: { on: 'everything', by: 'operator', meaning: 'UID of the cluster' },
  nodeId: { on: 'node, Pod, volume claim', by: 'operator', meaning: 'id of the member, bound to its volume' },
  serving: { on: 'Pod', by: 'operator', meaning: '`true` puts it behind the client Service; absent takes it out' },
  slot: {
    on: 'everything a cluster has',
    by: 'operator',
    meaning:
      'a number from 0 to 255, of namespace and name of the cluster: replicas that share the clusters watch by it',
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
    meaning: 'UID of the Secret of spec.auth, which owns it: that it goes tells that the Secret has gone',
  },
};

const ANNOTATION_TEXTS: Readonly<Record<keyof typeof ANNOTATIONS, KeyText>> = {
  removeFirst: { on: 'node', by: 'you', meaning: '`true`: the next to go when one has to' },
  forceRemove: {
    on: 'node',
    by: 'you',
    meaning: '`<uid of the node>/<reason>`: removes it without proof, in the same order; needs the verb force-remove',
  },
  suspend: {
    on: 'node',
    by: 'you',
    meaning:
      'who wants its Pod off its volume, and what for; it runs again when this is taken off. `only-copy/` before it: also with one home of a key',
  },
  removal: {
    on: 'node',
    by: 'operator',
    meaning: 'id of the operation that removes it, or restarts it with another template',
  },
  leaving: { on: 'Pod', by: 'operator', meaning: '`true` from just before its member is told to leave' },
  hostLost: {
    on: 'node, volume claim',
    by: 'operator',
    meaning:
      '`<uid of the node>/<host>`: its volume is on that host alone, which is lost, and a new node takes its place; on a kept claim `<host>`: no new node takes it up before you take this off',
  },
  hostDrained: {
    on: 'node, volume claim',
    by: 'operator',
    meaning:
      '`<uid of the node>/<host>`: its volume is on that host alone, which is being drained, and a new node takes its place; on a kept claim `<host>`: no new node takes it up before you take this off',
  },
  share: {
    on: 'Lease of a replica',
    by: 'operator',
    meaning:
      '`ring <generation>`: takes what marekvs.io/shares gives to it, and has let go of what this generation took from it; `static <ordinal>/<replicas>`',
  },
  shareFormat: {
    on: 'Lease of a replica, Lease of the leader',
    by: 'operator',
    meaning:
      '`<version>/<slots>` of what is said there about slots; a replica of another format takes no part while one of this is left',
  },
  shareWaiting: {
    on: 'Lease of a replica',
    by: 'operator',
    meaning: 'why it does not work yet on what is its own; empty when it does',
  },
  load: {
    on: 'Lease of a replica, or of the leader',
    by: 'operator',
    meaning: 'what it carries, as of its last renewal',
  },
  namespaces: {
    on: 'Lease of a replica, or of the leader',
    by: 'operator',
    meaning: 'where namespaces come and go: how many are looked after, which are not, and why',
  },
  sharedBy: {
    on: 'Lease of the leader',
    by: 'operator',
    meaning: 'its holder, if that is one of several that share the clusters; another name: it leads alone',
  },
  shares: {
    on: 'Lease of the leader',
    by: 'operator',
    meaning: 'in mode ring: which replica has each slot now, and which had it before; with a checksum',
  },
  detachedAt: { on: 'volume claim', by: 'operator', meaning: 'when its node let it go' },
  lastActiveAt: { on: 'volume claim', by: 'operator', meaning: 'when its member was last known to be Active' },
  highestNodeId: {
    on: 'one volume claim of a cluster',
    by: 'operator',
    meaning:
      'the highest node id ever used, once the claim of that id is gone: it is not used again, also by a cluster that is made again on these volumes',
  },
  passwordSecrets: {
    on: 'node',
    by: 'operator',
    meaning:
      '`<secret>/<key>`, separated by commas: whose password its member may want besides that of spec.template; written before it is given another',
  },
  restampedPod: {
    on: 'node',
    by: 'operator',
    meaning:
      '`<uid of its Pod>/<revision on it>/<revision>`: this Pod counts as one of the last revision, which differs from its own in the Secret of the password alone',
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
      'the value of spec.nodes that is meant although it stood there before spec.autoscale was taken out, and the time of the decision in whose place: `3/<status.autoscale.since>`; `kubectl mkv scale` writes it',
  },
  rolloutApproved: {
    on: 'cluster',
    by: 'you',
    meaning: 'the revision whose update may go on after its canaries; `kubectl mkv rollout approve` writes it',
  },
  rolloutPaused: { on: 'cluster', by: 'you', meaning: '`true`: no further member is restarted for a changed template' },
  rolloutRetry: {
    on: 'cluster',
    by: 'you',
    meaning: 'another value lets a stopped update try again; `kubectl mkv rollout retry` writes it',
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
    meaning: 'the operation that gave it other resources without a restart, once its host said that it has them',
  },
  templateHash: {
    on: 'Pod',
    by: 'operator',
    meaning: 'the template it was made from, or the one whose resources it got without a restart',
  },
  seeds: { on: 'Pod', by: 'operator', meaning: 'explicit gossip seeds it was started with' },
  startAfterOutage: {
    on: 'cluster',
    by: 'you',
    meaning:
      'a reason, in any words: members start one by one although all were away for `gcGraceSeconds`, and drop what only they hold; to be taken off afterwards',
  },
  adopt: {
    on: 'cluster',
    by: 'you',
    meaning:
      'which members of a StatefulSet it takes over, written by `kubectl mkv adopt`; without effect once it is formed',
  },
  release: {
    on: 'cluster',
    by: 'you',
    meaning:
      '`<its uid>/<status.formed.at>`: its members are to be handed to a StatefulSet. Written by `kubectl mkv release`; without effect once that is done',
  },
  adoptedVolume: { on: 'node', by: 'operator', meaning: 'UID of the volume claim it was made to take over' },
  dataDir: {
    on: 'node, volume claim',
    by: 'operator',
    meaning: 'where a Pod finds the data on a volume that was taken over',
  },
  acknowledgedLoss: {
    on: 'cluster',
    by: 'you',
    meaning:
      '`<time of the loss>/<when>/<who>`: who has read that data is lost. Written by `kubectl mkv acknowledge`; one that names no loss that was told is ignored.',
  },
  verify: {
    on: 'cluster',
    by: 'you',
    meaning:
      'asks for a comparison of the members’ contents; any new value asks again, `status.verification.requested` says which was answered. `kubectl mkv verify` writes it',
  },
  appliedHash: {
    on: 'Service, disruption budget, network policy',
    by: 'operator',
    meaning: 'what was last applied, to see what we stopped wanting',
  },
  deleteKind: {
    on: 'CustomResourceDefinition',
    by: 'you',
    meaning: '`true`: it may be deleted, and with it all its objects, protected or not',
  },
};

const FINALIZER_TEXTS: Readonly<Record<keyof typeof FINALIZERS, string>> = {
  memberSafeRemoval: 'On a node: holds it until its member has left safely. Taking it off by hand skips the proof.',
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
    source: 'packages/api/src/labels.ts and packages/reference/src/pages/keys.ts',
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
