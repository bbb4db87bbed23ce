// What one removal costs the API server, and that each field has the one writer that
// docs/design/contract.md#who-writes-what gives it.
// Runs alone: a member that is late because something else has the CPU is a status of its own.

import { OPERATOR_USER } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { measureRemoval, writeFigures } from '../../bench/removal.ts';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { expectWithinLimits } from '../../support/limits.ts';
import { nodesSettled } from '../../support/settled.ts';
import { withWorld } from '../../support/world.ts';
import { type WriteSeen, writesOfAll } from '../../support/writers.ts';
import { describeWrites } from '../../support/written.ts';

const NS = 'cost';

/** What the operator may write while a node leaves, by verb and resource; all other fields belong to others. */
const ALLOWED = [
  'update marekvsclusters/status',
  'patch marekvsnodes',
  'delete marekvsnodes',
  'update marekvsnodes/status',
  'create pods',
  'patch pods',
  'delete pods',
  'patch persistentvolumeclaims',
  'patch poddisruptionbudgets',
  'create events',
  'patch events',
];

describe('one removal on a quiet cluster of 5', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  let writesBefore: number;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(5);
    await nodesSettled(world().kube, NS, 5);
    await world().watching.event(NS, 'its forming is told', ({ reason }) => reason === 'ClusterFormed');
    writesBefore = (await writesOfAll(world().testbed, NS)).length;
  });

  it('costs at most 22 writes', async () => {
    const measured = await measureRemoval(world(), cluster, 4);
    const events = await world().watching.event(NS, 'the events', () => true);
    const told = events.map(({ reason, note }) => `      ${reason}: ${note}`);
    process.stdout.write(`${[describeWrites(measured.requests), ...told].join('\n')}\n`);
    expectWithinLimits(writeFigures(measured));
  });

  it('is written by the operator alone, deletes the node once, and never writes the spec of the cluster', async () => {
    const writes = (await writesOfAll(world().testbed, NS)).slice(writesBefore);
    const operators = writes.filter(({ user }) => user === OPERATOR_USER);
    expect(kinds(operators).filter((kind) => !ALLOWED.includes(kind))).to.deep.equal([]);
    const once = (kind: string): readonly string[] =>
      operators.filter((write) => kindOf(write) === kind).map(({ name }) => name);
    expect(once('delete marekvsnodes')).to.deep.equal(['demo-4']);
    // Once to close its door, and once for good.
    expect(once('delete pods')).to.deep.equal(['demo-4', 'demo-4']);
    expect(once('create pods')).to.deep.equal(['demo-4']);
    const others = kinds(writes.filter(({ user }) => user !== OPERATOR_USER));
    for (const ours of ['marekvsclusters/status', 'marekvsnodes', 'marekvsnodes/status']) {
      expect(
        others.filter((kind) => kind.endsWith(` ${ours}`)),
        ours,
      ).to.deep.equal([]);
    }
  });

  it('has no write refused, such as one with an old version of its object', async () => {
    const writes = (await writesOfAll(world().testbed, NS)).slice(writesBefore);
    expect(writes.filter(({ user, code }) => user === OPERATOR_USER && code >= 400)).to.deep.equal([]);
  });
});

function kindOf({ verb, resource }: WriteSeen): string {
  return `${verb} ${resource}`;
}

function kinds(writes: readonly WriteSeen[]): readonly string[] {
  return [...new Set(writes.map(kindOf))];
}
