// The commands that explain suggests are put together from these: kubectl and its plugin, about a cluster or a member.

export interface About {
  readonly namespace: string;
  readonly cluster: string;
  readonly operatorNamespace: string;
  /** Undefined when none was found. */
  readonly operatorDeployment: string | undefined;
  /** Name of the node, which is that of its Pod. */
  readonly member: string | undefined;
  /** The node that is being removed, if it is not the one in the way. */
  readonly target?: string | undefined;
  /** False when the member's Pod is known to be missing. */
  readonly isPodThere: boolean;
  readonly isClaimThere: boolean;
  /** The smallest size the operator keeps. */
  readonly floor: number;
  /** The size it keeps now. */
  readonly nodes: number;
  /** The bounds of a size that follows the load; undefined for a fixed size. */
  readonly bounds?: { readonly minNodes: number; readonly maxNodes: number };
  /** Labels of the hosts that shall have a member each, as kubectl takes them; undefined when hosts do not decide the
   *  size. */
  readonly hostLabels?: string;
  /** What the member's volume has, or would get. */
  readonly storage: string;
  /** The finding blocks a turn of a rolling update, not a removal, so that no proof is involved. */
  readonly isTurn?: boolean | undefined;
}

export type Commands = (about: About) => readonly string[];

/** A `kubectl mkv` command about the cluster. */
export const mkv =
  (verb: string, options = ''): Commands =>
  ({ namespace, cluster }) => [`kubectl mkv ${verb} ${cluster} -n ${namespace}${options}`];
/** A command about objects in its namespace. */
export const inNamespace =
  (command: string, options = ''): Commands =>
  ({ namespace }) => [`${command} -n ${namespace}${options}`];
/** A command about objects with the label of the cluster. */
export const labelled =
  (command: string, options = ''): Commands =>
  ({ namespace, cluster }) => [`${command} -n ${namespace} -l marekvs.io/cluster=${cluster}${options}`];
/** A further command for a finding about one member; none for other findings. */
export const ifMember =
  (command: (member: string, about: About) => string): Commands =>
  (about) =>
    about.member === undefined ? [] : [command(about.member, about)];
export const all =
  (...parts: readonly (Commands | string)[]): Commands =>
  (about) =>
    parts.flatMap((part) => (typeof part === 'string' ? [part] : part(about)));

export const status = mkv('status', ' --watch');
export const volumes = mkv('volumes');
export const wake = mkv('wake');
export const verify = mkv('verify');
export const sizing = mkv('autoscale');
export const top = mkv('top');
export const adopt = mkv('adopt');
export const rolloutStatus = mkv('rollout status');
export const rolloutUndo = mkv('rollout undo');
export const secrets = inNamespace('kubectl get secret');
export const policies = inNamespace('kubectl get netpol', ' -o yaml');
export const quota = inNamespace('kubectl describe quota');
export const edit: Commands = ({ namespace, cluster }) => [`kubectl edit mkv ${cluster} -n ${namespace}`];
export const nodesWide = labelled('kubectl get mkvnode', ' -o wide');
export const describeHosts = all('kubectl get nodes', nodesWide);
export const hostPermissions = 'kubectl apply -k config/components/hosts';

export const describePod: Commands = (about) =>
  about.member === undefined || !about.isPodThere
    ? labelled('kubectl get pods', ' -o wide')(about)
    : [`kubectl describe pod ${about.member} -n ${about.namespace}`];
export const describeClaim: Commands = (about) =>
  about.member === undefined || !about.isClaimThere
    ? labelled('kubectl get pvc')(about)
    : [`kubectl describe pvc data-${about.member} -n ${about.namespace}`];
export const claimAndClasses = all(describeClaim, 'kubectl get storageclass');
export const events: Commands = ({ namespace, cluster }) => [`kubectl events -n ${namespace} --for mkv/${cluster}`];
export const allLogs = labelled('kubectl logs', ' --prefix --tail 50');
export const logs: Commands = (about) =>
  about.member === undefined ? allLogs(about) : [`kubectl logs ${about.member} -n ${about.namespace} --tail 50`];
/** Errors are ignored because not every member has a container from before. */
export const previousLogs: Commands = (about) =>
  about.member === undefined
    ? labelled('kubectl logs', ' --prefix --previous --ignore-errors')(about)
    : [`kubectl logs ${about.member} -n ${about.namespace} --previous`];
export const patch = ({ namespace, cluster }: About, spec: string): string =>
  `kubectl patch mkv ${cluster} -n ${namespace} --type merge -p '{"spec":${spec}}'`;
export const growVolumes: Commands = (about) => [
  patch(about, JSON.stringify({ storage: { size: twice(about.storage) } })),
];
export const resumeMember: Commands = (about) =>
  about.member === undefined
    ? mkv('status')(about)
    : [`kubectl mkv resume-member ${about.member} -n ${about.namespace}`];
/** `10Gi` becomes `20Gi`. */
export function twice(quantity: string): string {
  const [, number = '', unit = ''] = /^([0-9.]+)(.*)$/.exec(quantity) ?? [];
  return number === '' ? quantity : `${Number(number) * 2}${unit}`;
}
/** A command about the member; the status of the cluster for a finding without a member. */
export const ofMember =
  (command: (member: string, about: About) => string): Commands =>
  (about) =>
    about.member === undefined ? status(about) : [command(about.member, about)];
export const proof: Commands = (about) => {
  const { namespace, member, target = member, isTurn } = about;
  if (isTurn === true) return rolloutStatus(about);
  return target === undefined ? status(about) : [`kubectl mkv proof ${target} -n ${namespace}`];
};
export const operatorLogs: Commands = ({ operatorNamespace, operatorDeployment }) =>
  operatorDeployment === undefined
    ? ['kubectl get deploy,pods -A -l app.kubernetes.io/name=marekvs-operator']
    : [
        `kubectl get deploy,pods -n ${operatorNamespace} -l app.kubernetes.io/name=marekvs-operator`,
        `kubectl logs deploy/${operatorDeployment} -n ${operatorNamespace} --tail 50`,
      ];
/** With autoscaling the bounds are changed instead; a size that follows the hosts needs another labelled host. */
export const scaleTo = (about: About, nodes: number): string => {
  const { namespace, cluster, bounds, hostLabels } = about;
  if (hostLabels !== undefined) return `kubectl label node <host> ${hostLabels.replaceAll(',', ' ')}`;
  if (bounds === undefined) return `kubectl mkv scale ${cluster} ${nodes} -n ${namespace}`;
  const maxNodes = nodes > bounds.maxNodes ? { maxNodes: nodes } : {};
  return patch(about, JSON.stringify({ autoscale: { minNodes: nodes, ...maxNodes } }));
};
export const scaleUp: Commands = (about) => [scaleTo(about, about.nodes + 1)];
export const keepSize: Commands = (about) => [scaleTo(about, about.nodes)];
export const labelledHosts: Commands = ({ hostLabels }) => [
  `kubectl get nodes${hostLabels === undefined ? '' : ` -l ${hostLabels}`}`,
];
