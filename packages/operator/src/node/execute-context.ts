// What a step of a node plan is carried out with: what the decision was made on, and the ways to act.

import type { Ports } from '../ports.ts';
import type { NodeScope } from './observe.ts';

export interface NodeExecuteContext {
  readonly scope: NodeScope;
  readonly ports: Ports;
  /** Takes up the UID of a cluster that a live read found gone. */
  readonly goneParents: Set<string>;
  readonly signal: AbortSignal;
}
