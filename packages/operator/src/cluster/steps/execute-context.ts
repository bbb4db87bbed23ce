// What a step of a cluster plan is carried out with.

import type { NodeStamp } from '../../objects/template.ts';
import type { LiveContext } from './live-context.ts';

export interface ExecuteContext extends LiveContext {
  readonly stamp: NodeStamp;
  readonly joiner: NodeStamp;
}
