// Where may the spec say that the password is? A cluster that has one of these passwords, is edited to have another,
// and when that is in force.

import type { MarekvsClusterSpec } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import type { Goal } from '../../life/scenario.ts';
import { NAMESPACE } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

type Auth = NonNullable<MarekvsClusterSpec['auth']>;
/** A password that the spec may refer to. */
interface Place {
  readonly secret: string;
  readonly key: string;
  readonly text: string;
}

/** No password. */
export const NONE = 'none' as const;
export type PasswordWish = Place | typeof NONE;

export const FIRST: Place = { secret: 'pass', key: 'password', text: 'first password' };
export const THIRD: Place = { secret: 'other', key: 'password', text: 'third password' };
export const PLACES: readonly Place[] = [
  FIRST,
  { secret: 'pass', key: 'next', text: 'second password' },
  THIRD,
  { secret: 'other', key: 'same', text: 'first password' },
];
/** From the edit of the spec until all members require the password. */
const WINDOW_MS = 10_000;

/** A cluster at rest. No stored object but the Secrets may ever contain a password. */
export async function guardedBy(world: MemberWorld, fate: Fate, nodes: number, place: PasswordWish): Promise<void> {
  const { server } = world.kube;
  for (const secret of ['pass', 'other']) {
    const own = PLACES.filter((one) => one.secret === secret).map(({ key, text }) => [key, base64(text)]);
    const bad =
      secret === 'pass' ? [] : Object.entries({ empty: '', nul: base64('a\0b'), long: base64('x'.repeat(140_000)) });
    const data: Readonly<Record<string, string>> = Object.fromEntries([...own, ...bad]);
    const object = { metadata: { name: secret, namespace: NAMESPACE }, data };
    server.create('secrets', object);
  }
  server.onEvent(({ resource, object }) => {
    if (resource !== 'secrets' && /(?:first|second|third) password/.test(JSON.stringify(object)))
      world.kube.violated(`a password is in ${resource} ${object.metadata.name}`);
  });
  await world.formed(nodes, place === NONE ? {} : { auth: authOf(place) });
  await world.advance(30_000);
  fate.begin();
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function authOf({ secret, key }: Place): Auth {
  return { secretRef: { name: secret, key } };
}

function textOf(place: PasswordWish): string {
  return place === NONE ? '' : place.text;
}

export function edit(world: MemberWorld, place: PasswordWish, image?: string): void {
  const auth = place === NONE ? null : authOf(place);
  world.edit({ auth, ...(image === undefined ? {} : { image }) });
}

/** The edit alone, without any fault. */
export async function edited(world: MemberWorld, place: PasswordWish): Promise<Goal> {
  const lives = livesOf(world);
  const sinceMs = world.nowMs;
  edit(world, place);
  await world.until(() => allWant(world, place), WINDOW_MS, 'all want it');
  world.kube.transcript.add('world', `all want it after ${Math.round(world.nowMs - sinceMs)} ms`);
  await world.until(() => isInForce(world, place), WINDOW_MS, 'new Pods start with it');
  world.kube.transcript.add('world', `new Pods start with it after ${Math.round(world.nowMs - sinceMs)} ms`);
  return goal(world, place, lives);
}

export function allWant(world: MemberWorld, place: PasswordWish): boolean {
  return world.nodeIds().every((id) => world.member(id)?.requirepass === textOf(place));
}

/** Whether the nodes' templates refer to it too, and all members require it. */
export function isInForce(world: MemberWorld, place: PasswordWish): boolean {
  const wanted = place === NONE ? [] : [place.secret, place.key];
  const isStamped = world.nodes().every(({ spec: { template } }) => {
    const { name, key } = template.authSecretRef ?? {};
    return name === wanted[0] && key === wanted[1];
  });
  return isStamped && allWant(world, place);
}

/** @param lives given when no member may have been restarted */
export function goal(world: MemberWorld, place: PasswordWish, lives?: string): Goal {
  const nodes = world.nodeIds().length;
  const unmet = (): string | undefined => {
    if (!world.isHealthy(Number(world.cluster()?.spec.nodes)) || world.condition('PendingChange') === 'True')
      return `not at rest: ${world.condition('PendingChange')}`;
    return isInForce(world, place) ? undefined : 'it is not in force';
  };
  const problem = () => (lives === undefined || livesOf(world) === lives ? undefined : 'somebody was restarted');
  return { nodes, unmet, problem };
}

/** The Pods, and how often the process of each has ended. */
export function livesOf(world: MemberWorld): string {
  const lives = world.nodeIds().map((id) => {
    const { metadata, status } = world.pod(id) ?? {};
    return `${metadata?.uid} ${JSON.stringify(status?.containerStatuses).match(/"restartCount":(\d+)/)?.[1]}`;
  });
  return lives.join(', ');
}
