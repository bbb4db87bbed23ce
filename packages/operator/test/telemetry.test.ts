// How the operator counts refusals, and which passes it counts as failing.

import { ApiError, type Verb } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createFailingPasses } from '../src/telemetry/fleet-sources.ts';
import { createOperatorMetrics } from '../src/telemetry/operator-metrics.ts';

interface Refusal {
  readonly verb?: Verb;
  readonly resource?: string;
  readonly status: number;
  readonly reason?: string;
  readonly detail?: string;
  readonly field?: string;
}

/** The counts after these refusals, without the comments of the families. */
async function counted(...refusals: readonly Refusal[]): Promise<readonly string[]> {
  const { onRefused, registry } = createOperatorMetrics('1');
  for (const { verb = 'create', resource = 'pods', status, reason = '', detail, field } of refusals) {
    const causes = field === undefined ? [] : [{ field }];
    onRefused({ verb, resource }, new ApiError({ verb, subject: resource, path: '/', status, reason, detail, causes }));
  }
  const wanted = /^marekvs_operator_(api_refusals|write_conflicts)_total\{/;
  return (await registry.metrics()).split('\n').filter((line) => wanted.test(line));
}

describe('refusals of the API server', () => {
  it('are counted by the reason that a person would read', async () => {
    const detail = 'pods "demo-0" is forbidden: exceeded quota: small';
    expect(await counted({ status: 403, detail }, { status: 403, detail })).to.deep.equal([
      'marekvs_operator_api_refusals_total{resource="pods",reason="QuotaExceeded"} 2',
    ]);
    const rbac = 'User "x" cannot list resource "services" in API group ""';
    expect(await counted({ verb: 'list', resource: 'services', status: 403, detail: rbac })).to.deep.equal([
      'marekvs_operator_api_refusals_total{resource="services",reason="Unauthorized"} 1',
    ]);
  });

  it('count as conflicts, by what guarded the write, when another writer was merely faster', async () => {
    const lines = await counted(
      { verb: 'update', status: 409, reason: 'Conflict' },
      {
        verb: 'delete',
        status: 409,
        reason: 'Conflict',
        detail: 'Precondition failed: UID in precondition: a, UID in object meta: b',
      },
      { verb: 'patch', status: 422, reason: 'Invalid', field: 'metadata.uid' },
      { verb: 'create', status: 409, reason: 'AlreadyExists' },
    );
    expect(lines).to.deep.equal([
      'marekvs_operator_write_conflicts_total{kind="pods",verb="update",guard="resourceVersion"} 1',
      'marekvs_operator_write_conflicts_total{kind="pods",verb="delete",guard="uid"} 1',
      'marekvs_operator_write_conflicts_total{kind="pods",verb="patch",guard="uid"} 1',
      'marekvs_operator_write_conflicts_total{kind="pods",verb="create",guard="exists"} 1',
    ]);
  });

  it('are not counted when an object does not exist, or the client is to come again later', async () => {
    expect(await counted({ verb: 'get', status: 404 }, { verb: 'watch', status: 410 }, { status: 429 })).to.deep.equal(
      [],
    );
  });
});

describe('failing passes', () => {
  it('count from the first in a row, with the reason of the last, until one succeeds', async () => {
    const clock = createManualClock();
    const passes = createFailingPasses(clock);
    const startMs = clock.nowMs();
    passes.ended('ns/a', 'error');
    await clock.run(60_000);
    passes.ended('ns/a', 'timeout');
    expect(new Map(passes.all()).get('ns/a')).to.deep.equal({ reason: 'timeout', sinceMs: startMs });
    passes.ended('ns/a', 'requeue_after');
    expect([...passes.all()]).to.deep.equal([]);
  });

  it('exclude those that lost a race, lost the grant or never began', () => {
    const passes = createFailingPasses(createManualClock());
    for (const result of ['conflict', 'aborted', 'skipped'] as const) passes.ended('ns/a', result);
    expect(new Map(passes.all()).get('ns/a')).to.equal(undefined);
    passes.ended('ns/a', 'timeout');
    for (const result of ['conflict', 'aborted', 'skipped'] as const) passes.ended('ns/a', result);
    expect(new Map(passes.all()).get('ns/a')?.reason).to.equal('timeout');
  });
});
