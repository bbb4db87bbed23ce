// The kinds that the API server in memory knows, and how they differ. Everything else is the same for all.

export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** A change of the spec raises metadata.generation. */
  readonly countsGenerations: boolean;
  /** Has /status: a write to one half leaves the other unchanged. */
  readonly hasStatus: boolean;
  /** Deleting an object that runs on a host only marks it; its kubelet removes it. */
  readonly isGraceful: boolean;
  /** A delete answers with the object even when it is gone. */
  readonly answersDeleteWithObject: boolean;
  /** A status write changes nothing but the status, and a uid in a status patch is not checked (custom resources). */
  readonly ignoresMetadataInStatus: boolean;
  /** Field ownership is tracked, since somebody applies this kind. */
  readonly isApplied: boolean;
  /** Added by admission. */
  readonly finalizers: readonly string[];
  /** The fields that a field selector may name; others are refused. */
  readonly selectableFields: readonly string[];
}

export const NAMESPACES = 'namespaces';
/** Finalizer that keeps an object until the garbage collector has removed the owner references to it. */
export const ORPHAN = 'orphan';
export const PVC_PROTECTION = 'kubernetes.io/pvc-protection';

const builtin = (plural: string, kind: string, change: Partial<ApiKind> = {}): ApiKind => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  isNamespaced: true,
  countsGenerations: false,
  hasStatus: true,
  isGraceful: false,
  answersDeleteWithObject: false,
  ignoresMetadataInStatus: false,
  isApplied: false,
  finalizers: [],
  selectableFields: ['metadata.name', 'metadata.namespace'],
  ...change,
});

const custom = (plural: string, kind: string, fields: readonly string[] = []): ApiKind =>
  builtin(plural, kind, {
    group: 'marekvs.io',
    version: 'v1alpha1',
    countsGenerations: true,
    ignoresMetadataInStatus: true,
    isApplied: true,
    selectableFields: ['metadata.name', 'metadata.namespace', ...fields],
  });

export const API_KINDS: readonly ApiKind[] = [
  custom('marekvsclusters', 'MarekvsCluster'),
  custom('marekvsnodes', 'MarekvsNode', ['spec.clusterName']),
  builtin('pods', 'Pod', { isGraceful: true, countsGenerations: true, answersDeleteWithObject: true }),
  builtin('persistentvolumeclaims', 'PersistentVolumeClaim', {
    finalizers: [PVC_PROTECTION],
    answersDeleteWithObject: true,
  }),
  builtin('services', 'Service', { isApplied: true, answersDeleteWithObject: true }),
  builtin('secrets', 'Secret', { hasStatus: false }),
  builtin('configmaps', 'ConfigMap', { hasStatus: false }),
  builtin('nodes', 'Node', {
    isNamespaced: false,
    selectableFields: ['metadata.name', 'spec.unschedulable'],
  }),
  builtin('persistentvolumes', 'PersistentVolume', { isNamespaced: false }),
  builtin(NAMESPACES, 'Namespace', { isNamespaced: false }),
  builtin('controllerrevisions', 'ControllerRevision', { group: 'apps', hasStatus: false }),
  builtin('statefulsets', 'StatefulSet', { group: 'apps', countsGenerations: true }),
  builtin('horizontalpodautoscalers', 'HorizontalPodAutoscaler', { group: 'autoscaling', version: 'v2' }),
  builtin('poddisruptionbudgets', 'PodDisruptionBudget', { group: 'policy', countsGenerations: true, isApplied: true }),
  builtin('networkpolicies', 'NetworkPolicy', {
    group: 'networking.k8s.io',
    countsGenerations: true,
    isApplied: true,
    hasStatus: false,
  }),
  builtin('leases', 'Lease', { group: 'coordination.k8s.io', hasStatus: false }),
  builtin('events', 'Event', { group: 'events.k8s.io', hasStatus: false }),
];

/** `pods`, `marekvsnodes.marekvs.io`. */
export function resourceOfKind(kind: ApiKind): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

export function findKind(resource: string): ApiKind | undefined {
  return byResource.get(resource);
}

const byResource: ReadonlyMap<string, ApiKind> = new Map(API_KINDS.map((kind) => [resourceOfKind(kind), kind]));
