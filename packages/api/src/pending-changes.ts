// Answers: what does a cluster's spec ask for that is not in force now, what is in force in its place, why, and what ends that? Pure.
// What members run is what their Pods were made from, whatever this version could do about it.

import type { MarekvsClusterSpec } from './cluster.ts';
import { minimumNodes, withDefaults } from './defaults.ts';
import { MAX } from './limits.ts';
import type { NodeTemplate } from './node.ts';
import { compareQuantities, tryParseQuantity } from './quantity.ts';
import type { Reason } from './reasons.ts';
import { TEMPLATE_FIELDS, type TemplateField } from './spec-fields.ts';

export interface PendingChange {
  /** From the root of the object. */
  readonly field: string;
  readonly asked: string;
  /** What is in force in its place. */
  readonly effective: string;
  readonly reason: Reason;
  readonly why: string;
  readonly wayOut: string;
  /** It does not come by itself. */
  readonly needsPerson: boolean;
}

/** Why something is not in force, and what ends that. */
export type Waits = Pick<PendingChange, 'reason' | 'why' | 'wayOut' | 'needsPerson'>;

/** One node of a formed cluster that stays. */
export interface NodeInForce {
  readonly name: string;
  /** What its Pod was made from; undefined when that is an older template than its node's, of which nothing is left to read. */
  readonly template: NodeTemplate | undefined;
  /** What its volume has, as a quantity, and its VolumeAttributesClass; undefined while that is not known. */
  readonly storageSize: string | undefined;
  readonly attributesClass: string | undefined;
  /** What keeps its volume from being what its node asks for. */
  readonly volumeWaits: Waits | undefined;
}

/** What is known of the password that a spec asks for. */
export interface AuthInForce {
  /** Of the Secret and the key it names. */
  readonly secret: 'present' | 'missing' | 'unknown';
  /** Members that answer without a password although one is asked for. */
  readonly openNodes: readonly string[];
  /** Members that want the password that was in the Secret before. */
  readonly oldNodes: readonly string[];
}

export interface InForce {
  readonly spec: MarekvsClusterSpec;
  /** What a Pod is made from that has everything the spec asks for. */
  readonly template: NodeTemplate;
  /** None before the cluster was formed: nobody was let in to its members, and they take up every change. */
  readonly nodes: readonly NodeInForce[];
  readonly auth: AuthInForce;
  /** The size that is worked towards, and how many nodes count. */
  readonly desiredNodes: number;
  /** The size was decided by load, and stays although spec.autoscale was taken out. */
  readonly isSizeKept: boolean;
  readonly presentNodes: number;
  /** What becomes of a changed template: members are restarted one by one, or why they are not. */
  readonly rolling: Waits;
}

/** In the order of the table: what concerns the whole cluster first. No longer than a status takes. */
export function pendingChanges(inForce: InForce): readonly PendingChange[] {
  return allChanges(inForce)
    .slice(0, MAX.pendingChanges)
    .map((change) => ({
      ...change,
      asked: cut(change.asked),
      effective: cut(change.effective),
      why: cut(change.why),
      wayOut: cut(change.wayOut),
    }));
}

function cut(text: string): string {
  return text.length > MAX.pendingText ? `${text.slice(0, MAX.pendingText - 1)}…` : text;
}

function allChanges(inForce: InForce): readonly PendingChange[] {
  return [
    ...sizeChanges(inForce),
    ...storageChanges(inForce),
    ...TEMPLATE_FIELDS.flatMap((field) => templateChange(field, inForce)),
    ...olderPods(inForce),
  ];
}

/** `spec.replicationFactor: 5 is asked for and 2 is in force`. */
export function pendingText({ field, asked, effective }: Pick<PendingChange, 'field' | 'asked' | 'effective'>): string {
  return `${field}: ${asked} is asked for and ${effective} is in force`;
}

function sizeChanges(inForce: InForce): readonly PendingChange[] {
  const { spec, desiredNodes, presentNodes } = inForce;
  const limited = limitedSize(inForce);
  if (limited !== undefined) return [{ ...limited, effective: String(desiredNodes), needsPerson: true }];
  if (spec.paused !== true || presentNodes === desiredNodes || presentNodes === 0) return [];
  return [
    {
      field: spec.autoscale === undefined ? 'spec.nodes' : 'spec.autoscale',
      asked: String(desiredNodes),
      effective: String(presentNodes),
      reason: 'Paused',
      why: 'spec.paused is true',
      wayOut: 'set spec.paused to false',
      needsPerson: true,
    },
  ];
}

/** A size that is asked for and not worked towards. */
function limitedSize({
  spec,
  desiredNodes,
  isSizeKept,
}: InForce): Omit<PendingChange, 'effective' | 'needsPerson'> | undefined {
  const { nodes, autoscale } = withDefaults(spec);
  const floor = minimumNodes(spec);
  const asked = autoscale === undefined ? nodes : autoscale.maxNodes;
  const field = autoscale === undefined ? 'spec.nodes' : 'spec.autoscale.maxNodes';
  if (isSizeKept)
    return {
      field,
      asked: String(nodes),
      reason: 'KeptSize',
      why: 'spec.autoscale had decided the size, and nobody has asked for another one since it was taken out',
      wayOut: `set spec.nodes to ${desiredNodes} to keep it, or confirm ${nodes} with kubectl mkv scale`,
    };
  if (asked >= floor || desiredNodes < floor) return undefined;
  return {
    field,
    asked: String(asked),
    reason: 'BelowFloor',
    why: `a cluster is never brought below replicationFactor + 1 = ${floor} nodes`,
    wayOut: `set ${field} to at least ${floor}`,
  };
}

/** Each volume is compared by itself: one that cannot follow does not hide the others. */
function storageChanges({ spec, nodes }: InForce): readonly PendingChange[] {
  const { size, volumeAttributesClassName: attributes } = withDefaults(spec).storage;
  const smaller = nodes.filter(({ storageSize }) => storageSize !== undefined && isLarger(size, storageSize));
  const others = nodes.filter(
    ({ storageSize, attributesClass }) =>
      attributes !== undefined && storageSize !== undefined && attributesClass !== attributes,
  );
  const change = (field: string, asked: string, texts: readonly string[], behind: readonly NodeInForce[]) =>
    behind.length === 0 ? [] : [{ field, asked, effective: distribution(texts), ...volumesWait(spec, behind) }];
  return [
    ...change(
      'spec.storage.size',
      size,
      nodes.map(({ storageSize }) => storageSize ?? 'unknown'),
      smaller,
    ),
    ...change(
      'spec.storage.volumeAttributesClassName',
      attributes ?? '',
      nodes.map(({ attributesClass }) => attributesClass ?? 'none'),
      others,
    ),
  ];
}

/** What a person has to act on comes first. */
function volumesWait({ paused }: MarekvsClusterSpec, nodes: readonly NodeInForce[]): Waits {
  if (paused === true)
    return { reason: 'Paused', why: 'spec.paused is true', wayOut: 'set spec.paused to false', needsPerson: true };
  const waits = nodes.flatMap(({ volumeWaits }) => volumeWaits ?? []);
  const changing = 'the volumes change where they are, each by itself';
  const wait = { reason: 'VolumeChanging', why: changing, wayOut: 'wait for it', needsPerson: false } as const;
  return waits.find(({ needsPerson }) => needsPerson) ?? waits[0] ?? wait;
}

function templateChange(field: TemplateField, inForce: InForce): readonly PendingChange[] {
  const { template, nodes, auth, rolling } = inForce;
  const wanted = field.read(template);
  const running = nodes.flatMap(({ name, template: own }) =>
    own === undefined ? [] : [{ name, value: field.read(own) }],
  );
  const others = running.filter(({ value }) => !isSame(value, wanted));
  const differing = others.map(({ name }) => name);
  const isAuth = field.group === 'auth';
  if (isAuth && differing.length === 0 && auth.oldNodes.length > 0 && auth.openNodes.length === 0)
    return [rotating(field.path, field.text(wanted, undefined), auth.oldNodes)];
  const isOpen = isAuth && wanted !== undefined && (auth.openNodes.length > 0 || auth.secret === 'missing');
  if (differing.length === 0 && !isOpen) return [];
  const texts = running.map(({ value }) => field.text(value, wanted));
  const change = {
    field: field.path,
    asked: field.text(wanted, others[0]?.value),
    effective: isOpen ? openText(auth, texts) : distribution(texts),
  };
  if (isOpen && auth.secret === 'missing')
    return [
      {
        ...change,
        reason: 'SecretMissing',
        why: `${change.asked} is not there`,
        wayOut: 'create the Secret with that key, or take spec.auth out',
        needsPerson: true,
      },
    ];
  if (field.group === 'member') return [{ ...change, ...rolling }];
  return [
    {
      ...change,
      reason: 'AuthNotInForce',
      why: 'running members keep the password they were started with, and new ones get the same',
      wayOut: `set it back; or delete the MarekvsCluster and apply it again: its volumes are kept, all members start with the new value, and nobody is served for about ten seconds`,
      needsPerson: true,
    },
  ];
}

function rotating(path: string, asked: string, oldNodes: readonly string[]): PendingChange {
  return {
    field: path,
    asked: `${asked}, as it is now`,
    effective: `the password before on ${listed(oldNodes)}`,
    reason: 'PasswordRotating',
    why: 'running members are being given the new one, without a restart',
    wayOut: 'wait a few seconds',
    needsPerson: false,
  };
}

/** A Pod that was made from a template of which nothing is left to read differs in something. */
function olderPods({ nodes, rolling }: InForce): readonly PendingChange[] {
  const older = nodes.filter(({ template }) => template === undefined).map(({ name }) => name);
  if (older.length === 0) return [];
  return [
    {
      field: 'spec',
      asked: 'the present template',
      effective: `an older one on ${listed(older)}`,
      ...rolling,
    },
  ];
}

function openText({ openNodes }: AuthInForce, texts: readonly string[]): string {
  if (openNodes.length > 0) return `no password on ${listed(openNodes)}`;
  return texts.length === 0 ? 'no password' : distribution(texts);
}

/** `2`, or `marekvs:1 on 2 of 3 nodes, marekvs:2 on 1 of 3 nodes`. */
function distribution(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [first = 'nothing', ...rest] = counts.keys();
  if (rest.length === 0) return first;
  return listed([...counts].map(([text, count]) => `${text} on ${count} of ${texts.length} nodes`));
}

const MAX_LISTED = 3;

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  return more > 0 ? `${texts.slice(0, MAX_LISTED).join(', ')} and ${more} more` : texts.join(', ');
}

function isLarger(wanted: string, present: string): boolean {
  if (tryParseQuantity(wanted) === undefined || tryParseQuantity(present) === undefined) return false;
  return compareQuantities(wanted, present) > 0;
}

/** Whatever the order of their keys; nothing and an empty collection ask for the same. */
function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  if (
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  )
    return '';
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
      : inner,
  );
}
