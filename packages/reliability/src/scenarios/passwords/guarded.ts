// A cluster whose members require the password of a Secret: how it is made, how the password changes, and when all
// members want it.

import type { Fate } from '../../fate/fate.ts';
import type { Goal } from '../../life/scenario.ts';
import { NAMESPACE } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export const SECRET = 'pass';
const REF = { secretRef: { name: SECRET, key: 'password' } };
/** Counted from the change of the Secret. */
export const WINDOW_MS = 10_000;

/** A cluster at rest whose members require a password. No stored object but the Secret may ever contain one. */
export async function guarded(world: MemberWorld, fate: Fate, nodes: number): Promise<void> {
  makeSecret(world, 'first password');
  world.kube.server.onEvent(({ resource, object }) => {
    if (resource !== 'secrets' && /(?:first|second|third|last) {1,2}pass ?word/.test(JSON.stringify(object)))
      world.kube.violated(`a password is in ${resource} ${object.metadata.name}`);
  });
  await world.formed(nodes, { auth: REF });
  await world.advance(30_000);
  fate.begin();
}

export function makeSecret({ kube }: MemberWorld, password: string): void {
  const secret = { metadata: { name: SECRET, namespace: NAMESPACE }, data: { password: base64(password) } };
  kube.server.create('secrets', secret);
}

/** Like `kubectl edit secret`. */
export function putPassword(world: MemberWorld, password: string, previous?: string): void {
  world.kube.transcript.add('user', 'changes the password in the Secret');
  const data = {
    password: base64(password),
    ...(previous === undefined ? {} : { 'password-previous': base64(previous) }),
  };
  const patch = { metadata: {}, data };
  world.kube.server.patch('secrets', { namespace: NAMESPACE, name: SECRET }, patch);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export function allWant(world: MemberWorld, password: string): boolean {
  return world.nodeIds().every((id) => world.member(id)?.requirepass === password);
}

export function goal(world: MemberWorld, password: string, problem?: () => string | undefined): Goal {
  const nodes = world.nodeIds().length;
  const unmet = (): string | undefined => {
    if (!world.isHealthy(nodes) || world.condition('PendingChange') === 'True') return `not at rest at ${nodes}`;
    return allWant(world, password) ? undefined : 'not all want it';
  };
  return { nodes, unmet, ...(problem === undefined ? {} : { problem }) };
}

export function livesOf(world: MemberWorld, ids = world.nodeIds()): string {
  return ids.map((id) => `${world.pod(id)?.metadata.uid} ${world.member(id)?.requirepass === undefined}`).join(', ');
}
