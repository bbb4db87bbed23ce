// What this version does not do, and what the server itself loses whoever runs it, on one page. A later capability
// removes its line.

import { page, table } from '../text/markdown.ts';
import { FIRST_VERSION } from '../text/since.ts';

interface Limit {
  readonly what: string;
  readonly instead: string;
}

const LIMITS: readonly Limit[] = [
  {
    what: 'make volumes smaller, or move them to another StorageClass',
    instead: 'have the clients copy the data to a cluster with another name, size or class',
  },
  {
    what: 'grow volumes by `spec.storage.autoGrow` that are folders on a larger disk: their members report the fill level of that disk',
    instead: 'watch the disk itself',
  },
  {
    what: 'size a cluster by memory or CPU, or ahead of the load',
    instead:
      '`spec.autoscale` follows commands and disks ([autoscaling](operations/autoscaling.md)); without it a HorizontalPodAutoscaler may move `spec.nodes` by any metric',
  },
  {
    what: 'hibernate by a calendar, or wake when a client comes',
    instead: 'a CronJob that runs `kubectl mkv hibernate` and `wake` ([sleeping](operations/sleeping.md))',
  },
  {
    what: 'hand over a cluster that it formed itself to a StatefulSet',
    instead:
      'a cluster that was taken over can be handed [back](operations/adopting.md#back) as it is; members that have joined since are removed first',
  },
  {
    what: 'make backups',
    instead:
      'snapshots of all claims together ([one volume is no backup](operations/volumes.md#one-volume-is-no-backup))',
  },
  {
    what: 'go below `replicationFactor + 1` nodes, or run a cluster of one',
    instead: '`kubectl mkv validate` points it out, and the operator keeps to the minimum',
  },
  {
    what: 'restart several members of a cluster at once, whatever `spec.update.maxUnavailable` allows; `spec.update.minAvailablePercent` has no effect',
    instead:
      'any two members are homes of some keys together ([rolling updates](operations/rolling-updates.md#a-members-turn)); several clusters can be updated at once',
  },
  {
    what: 'remove a node by a deadline, or because somebody deleted its Pod',
    instead:
      'the status says what a removal waits for, and how to resolve it; `kubectl mkv force-remove` is the only way without proof',
  },
];

interface ServerLoss {
  readonly what: string;
  readonly seen: string;
  readonly remedy: string;
}

/** Seen on the real server (docs/design/server.md#what-the-server-itself-loses). */
const SERVER_LOSSES: readonly ServerLoss[] = [
  {
    what: 'A renewed deadline can be lost when a member returns. A home that was away while a key’s deadline was renewed comes back with the old deadline, finds the key expired, and deletes it on all homes',
    seen: '200 keys that lived for 5 s were renewed for an hour while one home was down for 5.3 s: 13 of them were gone afterwards. Every restart can do this, so a rolling update can as well',
    remedy:
      'renew deadlines well before they end: a key is at risk only if its old deadline passes while a home is away. A restart takes some seconds',
  },
  {
    what: 'Of two clients that set the same key through members whose clocks differ, the one at the slower clock loses its write, even if it wrote last',
    seen: 'on all homes alike. A clock that steps back has the same effect',
    remedy:
      'keep the clocks of the hosts in step (NTP); let one client write a key, or use counters and sets, which merge',
  },
  {
    what: 'A HyperLogLog that is deleted and filled again counts 0, and one that is renamed onto an existing key loses most of its count',
    seen: '3,000 elements added again after `DEL`: 0 on both homes. After `RENAME` onto an existing key, 27 of 3,216 registers still counted',
    remedy: 'use another key; never `DEL` or `RENAME` a HyperLogLog whose key is used again',
  },
  {
    what: 'The copies of a HyperLogLog may never become equal, because members do not reconcile registers of which one has the higher rank and the other the later version',
    seen: '27 registers were still missing on one home after 85 s and 14 rounds of repair. `PFCOUNT` does not show it below some 40,000 elements',
    remedy:
      'through every member `PFMERGE copy key`; then through every member `PFMERGE key copy`; then `DEL copy`. Nothing is lost by that. A removal that would lose a register waits and says so (`RegistersDiverge`)',
  },
];

interface Misfit {
  readonly what: string;
  readonly how: string;
  readonly remedy: string;
}

const MISFITS: readonly Misfit[] = [
  {
    what: 'TLS',
    how: 'the server has none: RESP, mesh, gossip and 9121 are plain, passwords included',
    remedy:
      'encrypt below it, by WireGuard or IPsec of the CNI plugin ([security](security.md#what-we-do-not-promise))',
  },
  {
    what: 'Users and ACLs',
    how: 'the server knows one password for everything, and none on mesh, gossip and 9121',
    remedy: 'one cluster for each party; [network policies](operations/clients.md) decide who reaches it',
  },
  {
    what: 'IPv6',
    how: 'members listen on IPv4 and announce their Pod’s first address, which has to be IPv4. On a cluster of IPv6 alone they do not start; on one of both, IPv4 has to be the primary family',
    remedy: 'none',
  },
  {
    what: 'Access from outside of the Kubernetes cluster',
    how: 'the Service has the type ClusterIP, and `CLUSTER SLOTS` names addresses of Pods',
    remedy:
      'a Service of your own, such as a LoadBalancer, that selects `marekvs.io/cluster: <name>` and `marekvs.io/serving: "true"`, for clients that do not ask for slots: every member serves every key. Clients in cluster mode need a route to the Pods. With `spec.clients.from`, add an `ipBlock` of the addresses that members then see',
  },
  {
    what: 'Sidecars',
    how: 'a spec cannot add containers. One that is injected is not taken for the member, wherever it stands in the Pod; a Pod is ready only when it is ready as well, and the member ends with whatever order the kubelet gives both',
    remedy:
      'inject by native sidecars (init containers that are restarted), which start before and end after the member',
  },
  {
    what: 'Service meshes',
    how: 'not tried. Gossip is UDP, which neither sidecars nor an ambient mesh carry: it stays outside and plain. A member that finds no peer within its first 2 s serves alone ([H7](design/server.md#h7)), which is reported; a proxy that is late brings that about. The operator speaks plain TCP to 6379, 7373 and 9121 and is refused where mutual TLS is enforced. An ambient mesh delivers on port 15008, which the network policies of a cluster do not admit',
    remedy:
      'keep members out of the mesh by `spec.podMetadata`, for instance the labels `sidecar.istio.io/inject: "false"` and `istio.io/dataplane-mode: none`, or the annotation `linkerd.io/inject: disabled`. Clients may be in it',
  },
  {
    what: 'OpenShift, and other installations that assign user ids',
    how: 'not tried. Members run as user and group 65534, the operator as 65532. The constraint `restricted-v2` admits only ids of the namespace’s own range, so Pods are refused ([`ForbiddenByPolicy`](errors.md#forbiddenbypolicy))',
    remedy:
      'grant the constraint `nonroot-v2` to the service accounts: `default` in the namespaces of clusters, `marekvs-operator` in that of the operator',
  },
  {
    what: 'A cluster domain other than `cluster.local`',
    how: 'members find each other by `<cluster>-headless.<namespace>.svc`, under any domain that the Pods’ resolver searches. Only a StatefulSet that members are handed [back](operations/adopting.md#back) to names `cluster.local`',
    remedy: 'change `MAREKVS_SEEDS` in that StatefulSet',
  },
  {
    what: 'Hashes, sets and sorted sets of more than four million elements',
    how: 'they lie in buckets of more than 16,384 records, which are not read, so that no member can make the operator read more than it can afford. Their cluster is not compared, so no node is removed and no member restarted ([`ContentsUnreadable`](errors.md#contentsunreadable) names the figure)',
    remedy: 'spread them over several keys',
  },
];

export function limitsPage(): string {
  const [major, minor] = FIRST_VERSION.split('.');
  return page({
    title: `What ${major}.${minor} does not do`,
    source: 'packages/reference/src/pages/limits.ts',
    blocks: [
      'When a cluster does not do what its spec asks for, its status says so: which field it is, what is in force instead, and how to resolve it. This page tells you beforehand.',
      table(
        ['it does not', 'what to do instead'],
        LIMITS.map(({ what, instead }) => [what, instead]),
      ),
      '## Where it does not fit',
      'What follows is about the Kubernetes cluster around it.',
      table(
        ['what', 'how it is', 'what you can do'],
        MISFITS.map(({ what, how, remedy }) => [what, how, remedy]),
      ),
      '## What the server itself loses',
      'These losses are rules of the server, with or without an operator. A removal adds nothing to them: it compares what the members hold by those same rules ([what covered means](concepts.md#what-covered-means)). The figures are from the real server.',
      table(
        ['what is lost', 'seen', 'what you can do'],
        SERVER_LOSSES.map(({ what, seen, remedy }) => [what, seen, remedy]),
      ),
    ],
  });
}
