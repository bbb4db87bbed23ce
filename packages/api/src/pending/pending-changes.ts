// What a cluster's spec asks for that is not in force now, what is in force instead, why, and what ends that. Pure.
// Members run what their Pods were made from, whatever this version of the operator would make of the spec.

import type { MarekvsClusterSpec } from '../objects/cluster.ts';
import { minimumNodes, withDefaults } from '../objects/defaults.ts';
import { MAX } from '../rules/limits.ts';
import { shortened } from '../values/cut-text.ts';
import { compareQuantities, tryParseQuantity } from '../values/quantity.ts';
import type { InForce, NodeInForce, PendingChange, Waits } from './in-force.ts';
import { authChange } from './pending-auth.ts';
import { ASLEEP, distribution, isSame, listed, restOf } from './pending-values.ts';
import { TEMPLATE_FIELDS, type TemplateField } from './spec-fields.ts';

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

function isLarger(wanted: string, present: string): boolean {
  if (tryParseQuantity(wanted) === undefined || tryParseQuantity(present) === undefined) return false;
  return compareQuantities(wanted, present) > 0;
}
