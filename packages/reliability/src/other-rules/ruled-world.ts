// The world of a scenario in which another rule takes over the cluster when the story begins. Violations are not
// raised: losses are counted at the end.

import { MemberWorld } from '../world/member-world.ts';
import { GaugeOperator } from './gauge-operator.ts';

export class RuledWorld extends MemberWorld {
  rule: GaugeOperator | undefined;

  constructor(seed: number) {
    super({ seed, hosts: 8, isForgiving: true });
  }

  /** Replaces our operator by the rule. */
  handOver(): void {
    this.retireOperators();
    this.rule = new GaugeOperator(this);
  }

  override isHealthy(size: number): boolean {
    return this.rule === undefined ? super.isHealthy(size) : this.rule.isContent(size);
  }
}
