// What a step of a cluster plan is carried out with.

import type { LiveContext } from './live-context.ts';
import type { NodeStamp } from './template.ts';

export interface ExecuteContext extends LiveContext {
  readonly stamp: NodeStamp;
  readonly joiner: NodeStamp;
}
