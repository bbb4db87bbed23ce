// What is documented about a reason beyond its two sentences in the catalogue: the paragraph of docs/errors.md. Kept
// apart from the catalogue because the operator itself needs none of it.

export interface ReasonGuide {
  /** What the operator does while the reason applies. */
  readonly meanwhile: string;
  /** What ends it. */
  readonly unblock: string;
  /** To be copied: `<namespace>`, `<cluster>`, `<node>` and so on stand for names. Begin with the first one. */
  readonly commands: readonly string[];
}

export function guide(meanwhile: string, unblock: string, ...commands: readonly string[]): ReasonGuide {
  return { meanwhile, unblock, commands };
}

export const DESCRIBE_CLUSTER = 'kubectl describe mkv <cluster> -n <namespace>';
export const DESCRIBE_NODE = 'kubectl describe mkvnode <node> -n <namespace>';
export const LIST_NODES = 'kubectl get mkvnode -n <namespace> -l marekvs.io/cluster=<cluster> -o wide';
export const DESCRIBE_POD = 'kubectl describe pod <node> -n <namespace>';
export const READ_LOG = 'kubectl logs <node> -n <namespace>';
export const READ_LAST_LOG = 'kubectl logs <node> -n <namespace> --previous';
export const SHOW_OPERATION = "kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.status.operation}'";
export const SHOW_LAST_OPERATION = "kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.status.lastOperation}'";
export const DESCRIBE_CLAIM = 'kubectl describe pvc data-<node> -n <namespace>';
export const LIST_VOLUMES = 'kubectl get pvc -n <namespace> -l marekvs.io/cluster=<cluster>';
export const READ_OPERATOR_LOG = 'kubectl logs -n marekvs-system deployment/marekvs-operator';
export const SET_SIZE = 'kubectl scale mkv/<cluster> -n <namespace> --replicas=<nodes>';

export const SHOW_SIZING = 'kubectl mkv autoscale <cluster> -n <namespace>';

/** A change of the spec, as a merge patch: `fields` is the JSON below `spec`. */
export function patchSpec(fields: string): string {
  return `kubectl patch mkv <cluster> -n <namespace> --type=merge -p '{"spec":${fields}}'`;
}

/** Works only where the storage class allows expansion. */
export const GROW_VOLUMES = patchSpec('{"storage":{"size":"<size>"}}');
