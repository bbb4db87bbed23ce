// Whatever happens in a life, every event is one of the catalogue, so that the reference leaves no kind of event out.

import { isReason } from '@marekvs/api';
import { EVENT_CATALOGUE } from '@marekvs/reference';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { live } from '../src/life/life.ts';
import { theScenario } from '../src/scenarios/catalogue.ts';
import { MemberWorld } from '../src/world/member-world.ts';

const STORIES = ['forced', 'dead-member', 'volume-deleted', 'mixed'];

interface RecordedEvent {
  readonly regarding: { readonly kind: string };
  readonly type: string;
  readonly reason: string;
  readonly action: string;
}

function isCatalogued({ regarding, type, reason, action }: RecordedEvent): boolean {
  return EVENT_CATALOGUE.some(
    ({ about, reasons, ...entry }) =>
      about === regarding.kind &&
      entry.action === action &&
      entry.type === type &&
      (reasons === 'anyWarning' ? isReason(reason) : reasons.some((one) => one === reason)),
  );
}

describe('the events of a life', function () {
  this.timeout(60_000);

  const eventsIn = (world: MemberWorld): readonly RecordedEvent[] =>
    world.kube.server.list('events.events.k8s.io').map((event) => event as unknown as RecordedEvent);
  const line = ({ regarding, type, action, reason }: RecordedEvent) => `${regarding.kind} ${type} ${action} ${reason}`;
  const unknownOf = (told: readonly RecordedEvent[]) => [
    ...new Set(told.filter((event) => !isCatalogued(event)).map(line)),
  ];

  it('are all in the catalogue', async () => {
    const told: RecordedEvent[] = [];
    for (const name of STORIES) {
      told.push(...eventsIn((await live(theScenario(name), 3)).world));
    }
    expect(unknownOf(told)).to.deep.equal([]);
    expect(new Set(told.map(line)).size).to.be.greaterThan(7);
  });

  it('are all in the catalogue when a mistake in the template is corrected', async () => {
    const world = new MemberWorld({ seed: 1 });
    world.apply({ nodes: 3, image: 'marekvs:missing' });
    await world.until(() => world.condition('Stalled') === 'True', 60_000, 'the mistake is said');
    world.edit({ image: 'marekvs:test' });
    await world.until(() => world.isHealthy(3), 120_000, 'healthy after the correction');
    const told = eventsIn(world);
    expect(unknownOf(told)).to.deep.equal([]);
    expect(told.map(line)).to.include('MarekvsNode Normal DeletePod TemplateOutdated');
  });
});
