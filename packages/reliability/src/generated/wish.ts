// What the user wants after some steps of a plan. Pure; whether the world gets there is checked in goal.ts.

import type { Act, Beginning, Retention } from './plan.ts';

export interface Wish {
  /** Whether there should be a cluster. */
  readonly isThere: boolean;
  /** As written, before the floor. */
  readonly nodes: number;
  readonly replicationFactor: number;
  readonly image: string;
  readonly isPaused: boolean;
  readonly isHibernated: boolean;
  readonly isProtected: boolean;
  readonly whenDeleted: Retention;
}

type Asked = Pick<Beginning, 'nodes' | 'replicationFactor' | 'whenDeleted'>;

export const FIRST_IMAGE = 'marekvs:test';
/** More than there are stored templates that nobody uses. */
export const GOOD_IMAGES: readonly string[] = [FIRST_IMAGE, ...['next', 'c', 'd', 'e', 'f', 'g', 'h'].map(tagged)];
/** A member starts and is never one of the others (image-behaviour.ts of the simulator). */
export const UNJOINING_IMAGES: readonly string[] = ['stuck', 'other-mesh'].map(tagged);
export const BAD_IMAGES: readonly string[] = [...['missing', 'crashing'].map(tagged), ...UNJOINING_IMAGES];

function tagged(tag: string): string {
  return `marekvs:${tag}`;
}

export function firstWish({ nodes, replicationFactor, whenDeleted }: Asked): Wish {
  return {
    isThere: true,
    nodes,
    replicationFactor,
    image: FIRST_IMAGE,
    isPaused: false,
    isHibernated: false,
    isProtected: false,
    whenDeleted,
  };
}

/** The wish after `act`; the same object when it asks for nothing. Without a cluster only its creation counts. */
export function wishAfter(wish: Wish, act: Act): Wish {
  if (act.kind === 'createCluster') {
    const { nodes, whenDeleted } = act;
    const { replicationFactor } = wish;
    return wish.isThere ? wish : firstWish({ nodes, replicationFactor, whenDeleted });
  }
  if (!wish.isThere) return wish;
  switch (act.kind) {
    case 'size':
      return { ...wish, nodes: act.nodes };
    case 'image':
      return { ...wish, image: act.image };
    case 'pause':
      return { ...wish, isPaused: true };
    case 'resume':
      return { ...wish, isPaused: false };
    case 'hibernate':
      return { ...wish, isHibernated: true };
    case 'wake':
      return { ...wish, isHibernated: false };
    case 'protection':
      return { ...wish, isProtected: act.isOn };
    case 'deleteCluster':
      // Refused by the policy of config/components/deletion-protection.
      return wish.isProtected ? wish : { ...wish, isThere: false };
    default:
      return wish;
  }
}

/** The resulting number of nodes: never fewer than replicationFactor + 1. */
export function wantedSize({ nodes, replicationFactor }: Pick<Wish, 'nodes' | 'replicationFactor'>): number {
  return Math.max(nodes, replicationFactor + 1);
}
