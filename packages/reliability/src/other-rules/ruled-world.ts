// The world of a scenario in which another rule takes the cluster over when the story begins. What is a violation of
// ours is there to be counted in the end.

import { MemberWorld } from '../world/member-world.ts';
import { GaugeOperator } from './gauge-operator.ts';

export class RuledWorld extends MemberWorld {
  rule: GaugeOperator | undefined;

  constructor(seed: number) {
    super({ seed, hosts: 8, isForgiving: true });
  }

  /** From here on our operator is gone. */
  handOver(): void {
    this.retireOperators();
    this.rule = new GaugeOperator(this);
  }

  override isHealthy(size: number): boolean {
    return this.rule === undefined ? super.isHealthy(size) : this.rule.isContent(size);
  }
}
