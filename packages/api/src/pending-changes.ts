// What a cluster's spec asks for that is not in force now, what is in force instead, why, and what ends that. Pure.
// Members run what their Pods were made from, whatever this version of the operator would make of the spec.

import { canonicalJson } from './canonical-json.ts';
import type { MarekvsClusterSpec } from './cluster.ts';
import { shortened } from './cut-text.ts';
import { minimumNodes, withDefaults } from './defaults.ts';
import { MAX } from './limits.ts';
import type { NodeTemplate } from './node.ts';
import { compareQuantities, tryParseQuantity } from './quantity.ts';
import type { Reason } from './reasons.ts';
import { TEMPLATE_FIELDS, type TemplateField } from './spec-fields.ts';

export interface PendingChange {
  /** Path from the root of the object. */
  readonly field: string;
  readonly asked: string;
  /** What is in force instead. */
  readonly effective: string;
  readonly reason: Reason;
  readonly why: string;
  readonly wayOut: string;
  /** It does not come into force by itself. */
  readonly needsPerson: boolean;
}

/** Why something is not in force, and what ends that. */
export type Waits = Pick<PendingChange, 'reason' | 'why' | 'wayOut' | 'needsPerson'>;

/** One node of a formed cluster that stays. */
export interface NodeInForce {
  readonly name: string;
  /** What its Pod was made from; undefined when that is an older template, which can no longer be read. */
  readonly template: NodeTemplate | undefined;
  /** Size of its volume as a quantity, and its VolumeAttributesClass; undefined while unknown. */
  readonly storageSize: string | undefined;
  readonly attributesClass: string | undefined;
  /** Why its volume is not yet what its node asks for. */
  readonly volumeWaits: Waits | undefined;
}

/** What is known about the password that a spec asks for. */
export interface AuthInForce {
  /** State of the Secret and the key that the spec names. */
  readonly secret: 'present' | 'missing' | 'invalid' | 'forbidden' | 'unknown';
  /** Members that answer without a password although one is asked for. */
  readonly openNodes: readonly string[];
  /** Members that require another password: that of another Secret, the previous one of this Secret, or any although
   *  none is asked for. */
  readonly oldNodes: readonly string[];
}

export interface InForce {
  readonly spec: MarekvsClusterSpec;
  /** The template of a Pod that has everything the spec asks for. */
  readonly template: NodeTemplate;
  /** Empty before the cluster is formed: its members have no clients yet and take up every change. */
  readonly nodes: readonly NodeInForce[];
  readonly auth: AuthInForce;
  /** The size that is worked towards; `presentNodes` is how many nodes count now. */
  readonly desiredNodes: number;
  /** The size was decided by load or hosts, and stays although spec.autoscale or hosts.onePerHost was taken out. */
  readonly isSizeKept: boolean;
  readonly presentNodes: number;
  /** What happens to a changed template: members are restarted one by one, or why they are not. */
  readonly rolling: Waits;
}

/** In the order of the table: changes of the whole cluster first. Cut to what fits into the status. */
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
  return shortened(text, MAX.pendingText);
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
  const rest = restOf(spec);
  if (rest === undefined || presentNodes === desiredNodes || presentNodes === 0) return [];
  return [{ field: sizeField(spec), asked: String(desiredNodes), effective: String(presentNodes), ...rest }];
}

/** The field that asks for the size. */
function sizeField({ autoscale, hosts }: MarekvsClusterSpec): string {
  if (autoscale !== undefined) return 'spec.autoscale';
  return hosts?.onePerHost === undefined ? 'spec.nodes' : 'spec.hosts.onePerHost';
}

/** Why changes wait while the cluster is hibernated. */
const ASLEEP: Waits = {
  reason: 'Hibernated',
  why: 'spec.hibernated is true',
  wayOut: 'kubectl mkv wake, or set spec.hibernated to false',
  needsPerson: true,
};

/** What in the spec keeps every change waiting; undefined when nothing does. */
function restOf({ hibernated, paused }: MarekvsClusterSpec): Waits | undefined {
  if (hibernated === true) return ASLEEP;
  if (paused !== true) return undefined;
  return { reason: 'Paused', why: 'spec.paused is true', wayOut: 'set spec.paused to false', needsPerson: true };
}

/** A size that is asked for but not worked towards; undefined when there is none. */
function limitedSize({
  spec,
  desiredNodes,
  isSizeKept,
}: InForce): Omit<PendingChange, 'effective' | 'needsPerson'> | undefined {
  const { nodes, autoscale, hosts } = withDefaults(spec);
  const floor = minimumNodes(spec);
  // A size that is decided by hosts is never below the floor.
  if (hosts.onePerHost !== undefined) return undefined;
  const asked = autoscale === undefined ? nodes : autoscale.maxNodes;
  const field = autoscale === undefined ? 'spec.nodes' : 'spec.autoscale.maxNodes';
  if (isSizeKept)
    return {
      field,
      asked: String(nodes),
      reason: 'KeptSize',
      why: 'spec.autoscale or hosts.onePerHost had decided the size, and nobody has asked for another one since that was taken out',
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

/** Why the volumes wait. A reason that needs a person comes first. */
function volumesWait(spec: MarekvsClusterSpec, nodes: readonly NodeInForce[]): Waits {
  const waits = nodes.flatMap(({ volumeWaits }) => volumeWaits ?? []);
  const changing = 'the volumes change where they are, each by itself';
  const wait = { reason: 'VolumeChanging', why: changing, wayOut: 'wait for it', needsPerson: false } as const;
  return restOf(spec) ?? waits.find(({ needsPerson }) => needsPerson) ?? waits[0] ?? wait;
}

function templateChange(field: TemplateField, inForce: InForce): readonly PendingChange[] {
  if (field.group === 'auth') return authChange(field, inForce);
  const { template, nodes, rolling } = inForce;
  const wanted = field.read(template);
  const running = nodes.flatMap(({ name, template: own }) =>
    own === undefined ? [] : [{ name, value: field.read(own) }],
  );
  const others = running.filter(({ value }) => !isSame(value, wanted));
  if (others.length === 0) return [];
  const texts = running.map(({ value }) => field.text(value, wanted));
  const change = {
    field: field.path,
    asked: field.text(wanted, others[0]?.value),
    effective: distribution(texts),
  };
  return [{ ...change, ...(inForce.spec.hibernated === true ? ASLEEP : rolling) }];
}

/** What new Pods are started with is in force. Running members may require another password for a while. */
function authChange(field: TemplateField, { template, nodes, auth, spec }: InForce): readonly PendingChange[] {
  const wanted = field.read(template);
  const running = nodes.flatMap(({ template: own }) => (own === undefined ? [] : [field.read(own)]));
  const isAnother = running.some((value) => !isSame(value, wanted));
  const isMissing = wanted !== undefined && auth.secret === 'missing';
  const { openNodes, oldNodes } = auth;
  if (!isAnother && !isMissing && openNodes.length === 0 && oldNodes.length === 0) return [];
  const asked = field.text(wanted, undefined);
  const isOfOldText = !isAnother && openNodes.length === 0 && oldNodes.length > 0 && !isMissing;
  const texts = running.map((value) => field.text(value, wanted));
  return [
    {
      field: field.path,
      asked: isOfOldText && wanted !== undefined ? `${asked}, as it is now` : asked,
      effective: isOfOldText
        ? `another password on ${listed(oldNodes)}`
        : effectiveAuth(auth, texts, isAnother, isMissing),
      ...authWaits(asked, wanted !== undefined, auth, spec),
    },
  ];
}

function effectiveAuth(auth: AuthInForce, texts: readonly string[], isAnother: boolean, isMissing: boolean): string {
  return auth.openNodes.length > 0 || isMissing ? openText(auth, texts, isAnother) : distribution(texts);
}

/** Why members cannot be given the password, or what is being done. */
function authWaits(
  asked: string,
  isWanted: boolean,
  { secret, openNodes, oldNodes }: AuthInForce,
  spec: MarekvsClusterSpec,
): Waits {
  const unusable = isWanted ? UNUSABLE_SECRET[secret] : undefined;
  if (unusable !== undefined) return { ...unusable, why: `${asked} ${unusable.why}`, needsPerson: true };
  const rest = restOf(spec);
  if (rest !== undefined) return rest;
  const behind = [...openNodes, ...oldNodes];
  const giving = isWanted ? 'are being given it' : 'are being told to require none';
  const why =
    behind.length > 0
      ? `running members ${giving}, without a restart; not yet ${listed(behind)}`
      : 'running members are asked which password they require; once all require this one, new Pods start with it';
  return { reason: 'PasswordRotating', why, wayOut: 'wait a few seconds', needsPerson: false };
}

const UNUSABLE_SECRET: Readonly<Partial<Record<AuthInForce['secret'], Pick<Waits, 'reason' | 'why' | 'wayOut'>>>> = {
  missing: {
    reason: 'SecretMissing',
    why: 'is not there',
    wayOut: 'create the Secret with that key, or take spec.auth out',
  },
  invalid: {
    reason: 'PasswordInvalid',
    why: 'cannot be a password of a member',
    wayOut: 'put one there without NUL bytes, as UTF-8, of at most 131,051 bytes, or set spec.auth back',
  },
  forbidden: {
    reason: 'SecretNotReadable',
    why: 'may not be read by the operator',
    wayOut: 'kubectl mkv auth grant --apply, or set spec.auth back',
  },
};

/** A Pod that was made from a template that can no longer be read differs in some field. */
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

function openText({ openNodes }: AuthInForce, texts: readonly string[], isAnother: boolean): string {
  if (openNodes.length > 0) return `no password on ${listed(openNodes)}`;
  if (texts.length === 0) return 'no password';
  // Otherwise members were started with the Secret that is asked for and is gone now: its old password is in force.
  return isAnother ? distribution(texts) : 'the password that members were started with';
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

/** Ignores the order of keys; undefined, an empty text and an empty collection are the same. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  if (
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  )
    return '';
  return canonicalJson(value);
}
