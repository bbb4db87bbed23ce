// What a person asks for comes to: refused, nothing to do, or a change with what happens next. Pure.

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

/** Whether anything else is under way, as the check that comes first. */
export function operationCheck({ status }: MarekvsCluster): string {
  const operation = status?.operation;
  if (operation === undefined) return 'no operation is under way';
  const { type, phase, target, roll } = operation;
  return `${type} of ${(target ?? roll)?.name ?? 'all members'} is under way (${phase}): it ends first`;
}
