// Whatever happens in a life, every event that is told of it is one of the catalogue: no kind of event is left out of the reference.

import { catalogued } from '@marekvs/operator/reference';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { live } from '../src/run/life.ts';
import { findScenario } from '../src/scenarios/catalogue.ts';

const STORIES = ['forced', 'dead-member', 'volume-deleted', 'mixed'];

interface ToldEvent {
  readonly regarding: { readonly kind: string };
  readonly type: string;
  readonly reason: string;
  readonly action: string;
}

describe('the events of a life', function () {
  this.timeout(60_000);

  it('are all of the catalogue', async () => {
    const told: ToldEvent[] = [];
    for (const name of STORIES) {
      const scenario = findScenario(name);
      if (scenario === undefined) throw new Error(`no story ${name}`);
      const { world } = await live(scenario, 3);
      told.push(...world.kube.server.list('events.events.k8s.io').map((event) => event as unknown as ToldEvent));
    }
    const line = ({ regarding, type, action, reason }: ToldEvent) => `${regarding.kind} ${type} ${action} ${reason}`;
    const unknown = told.filter((event) => catalogued(event) === undefined);
    expect([...new Set(unknown.map(line))]).to.deep.equal([]);
    expect(new Set(told.map(line)).size).to.be.greaterThan(7);
  });
});
