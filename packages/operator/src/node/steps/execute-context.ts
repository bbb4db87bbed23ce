// What a step of a node plan is carried out with: the state it was decided on, and the ways to act.

import type { Reading } from '../../pass/live-reads.ts';
import type { Ports } from '../../pass/ports.ts';
import type { GoneParents } from '../observation/gone-parents.ts';
import type { NodeScope } from '../observation/observe.ts';

export interface NodeExecuteContext extends Reading {
  readonly scope: NodeScope;
  readonly ports: Ports;
  /** Collects the clusters that a live read found gone. */
  readonly goneParents: GoneParents;
}
