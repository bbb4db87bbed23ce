// The outcome of a person's request: refused, nothing to do, or a change with what happens next. Pure.

import type { MarekvsCluster } from '@marekvs/api';

export interface Refused {
  readonly kind: 'refused';
  readonly why: string;
  readonly next: string;
}

export type Change<What extends object> =
  | Refused
  | { readonly kind: 'same'; readonly text: string }
  | ({ readonly kind: 'change'; readonly did: string; readonly next: string } & Readonly<What>);

export function refused(why: string, next: string): Refused {
  return { kind: 'refused', why, next };
}

/** The check that comes first: whether another operation is under way. */
export function operationCheck({ status }: MarekvsCluster): string {
  const operation = status?.operation;
  if (operation === undefined) return 'no operation is under way';
  const { type, phase, target, roll } = operation;
  return `${type} of ${(target ?? roll)?.name ?? 'all members'} is under way (${phase}): it ends first`;
}
