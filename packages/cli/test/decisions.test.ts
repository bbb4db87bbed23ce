// The small pure decisions: how a removal is taken back, which volume may be deleted, how a table fits the screen, and
// which words complete a line.

import type { Operation, OperationPhase, RemovalProof } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { table } from '../src/screen/table.ts';
import { ageText, fit, harmless, plain, wrap } from '../src/screen/text.ts';
import { cancellation } from '../src/verbs/cancel/cancellation.ts';
import { operationLines } from '../src/verbs/status/operation.ts';
import { volumeRows } from '../src/verbs/volumes/volume-rows.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { claim, cluster, facts, NOW_MS, node, SINCE } from './support/objects.ts';

const target = { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, pvcUID: 'claim-uid-3' };
const operation = (phase: OperationPhase, more: Partial<Operation> = {}): Operation => ({
  id: '3-a',
  type: 'Remove',
  basis: 'Proof',
  target,
  specGeneration: 2,
  phase,
  startedAt: SINCE,
  ...more,
});
const proof: RemovalProof = {
  operationId: '3-a',
  stage: 'Post',
  at: SINCE,
  targetUid: 'node-uid-3',
  topologyHash: 'h',
};

describe('cancel', () => {
  const nodes = [0, 1, 2, 3].map((id) => node(id));
  const shrinking = (own?: Operation) =>
    cluster({ spec: { nodes: 3 }, ...(own === undefined ? {} : { status: { operation: own } }) });

  for (const phase of ['Claimed', 'Isolating', 'Sealing', 'Proving'] as const) {
    it(`keeps as many nodes as there are while the operation is ${phase}`, () => {
      expect(cancellation(shrinking(operation(phase)), nodes)).to.deep.equal({
        kind: 'keep',
        nodes: 4,
        from: 3,
        target: 'demo-3',
      });
    });
  }
  for (const phase of ['Deleting', 'Departing', 'Settling', 'Reclaiming'] as const) {
    it(`cannot undo an operation that is ${phase}`, () => {
      expect(cancellation(shrinking(operation(phase)), nodes).kind).to.equal('impossible');
    });
  }
  it('shows where in a removal that is, and what is left of it', () => {
    const lines = operationLines(shrinking(operation('Sealing')), { nowMs: NOW_MS, width: 80, paint: plain });
    expect(lines.slice(1, 3)).to.deep.equal([
      'operation  Remove demo-3  Sealing since 5m',
      '  Proving > Deleting > Departing > Settling > Reclaiming',
    ]);
  });
  it('keeps the surplus before any operation has begun', () => {
    expect(cancellation(shrinking(), nodes)).to.include({ kind: 'keep', nodes: 4 });
  });
  it('has nothing to do when nothing is being removed, or the removal is being taken back already', () => {
    expect(cancellation(cluster({ spec: { nodes: 4 } }), nodes).kind).to.equal('nothing');
    expect(cancellation(shrinking(operation('Cancelling')), nodes).kind).to.equal('nothing');
  });
  it('is impossible during a turn of a rolling update, which is not a removal', () => {
    const roll = { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, podUID: 'pod-uid-3', previous: 'a' };
    const { target: _, ...turn } = operation('Claimed', { type: 'Roll', roll });
    const own = cluster({ spec: { nodes: 4 }, status: { operation: turn } });
    expect(cancellation(own, nodes)).to.include({
      kind: 'impossible',
      why: 'no removal is under way on demo: it is the turn of demo-3 in a rolling update',
    });
    const surplus = cluster({ spec: { nodes: 3 }, status: { operation: turn } });
    expect(cancellation(surplus, nodes), 'the node that would go after it').to.include({ kind: 'keep', nodes: 4 });
    const lines = operationLines(own, { nowMs: NOW_MS, width: 80, paint: plain });
    expect(lines.slice(1, 3)).to.deep.equal([
      'operation  Roll demo-3  Claimed since 5m',
      '  Isolating > Proving > Restarting > CatchingUp',
    ]);
  });
  it('cannot take back a removal from a drained host, because the size does not decide which node goes', () => {
    const drained = nodes.map((one) =>
      one.metadata.name === 'demo-3'
        ? { ...one, metadata: { ...one.metadata, annotations: { 'marekvs.io/host-drained': 'node-uid-3/host-3' } } }
        : one,
    );
    expect(cancellation(shrinking(operation('Proving')), drained)).to.deep.include({
      kind: 'impossible',
      why: 'demo-3 is replaced because its host is being drained, and the new node has joined',
    });
  });
  it('cannot take back the deletion of a node, but a forced removal', () => {
    expect(cancellation(shrinking(operation('Proving', { type: 'Replace' })), nodes).kind).to.equal('impossible');
    expect(cancellation(shrinking(operation('Proving', { basis: 'Forced' })), nodes)).to.deep.equal({
      kind: 'unforce',
      target: 'demo-3',
    });
  });
});

describe('volumes', () => {
  const last = (basis: 'Proof' | 'Forced', withProof: boolean) => ({
    id: '3-a',
    type: 'Remove' as const,
    target,
    basis,
    outcome: 'Succeeded' as const,
    reason: 'RemovalFinished',
    startedAt: SINCE,
    finishedAt: SINCE,
    ...(withProof ? { proof: { post: proof } } : {}),
  });
  const safetyOf = (lastOperation: ReturnType<typeof last> | undefined) => {
    const given = facts({
      cluster: cluster({ status: lastOperation === undefined ? {} : { lastOperation } }),
      volumes: [claim(3)],
    });
    return volumeRows({ ...given.parts, pods: given.parts.pods ?? [], volumes: given.parts.volumes ?? [] }).map(
      ({ name, safeToDelete }) => `${name} ${safeToDelete}`,
    );
  };

  it('are only deletable when they are detached and their data is proven to be elsewhere', () => {
    const attached = ['data-demo-0 no', 'data-demo-1 no', 'data-demo-2 no'];
    expect(safetyOf(last('Proof', true))).to.deep.equal([...attached, 'data-demo-3 yes']);
    expect(safetyOf(last('Proof', false))).to.deep.equal([...attached, 'data-demo-3 no']);
    expect(safetyOf(last('Forced', true))).to.deep.equal([...attached, 'data-demo-3 no']);
    expect(safetyOf(undefined)).to.deep.equal([...attached, 'data-demo-3 unknown']);
  });

  it('that were made again under the name of a lost one are shown as not used by their nodes', () => {
    const again = claim(1);
    const volumes = [claim(0), { ...again, metadata: { ...again.metadata, uid: 'made-again' } }, claim(2)];
    const given = facts({ volumes });
    const rows = volumeRows({ ...given.parts, pods: given.parts.pods ?? [], volumes });
    expect(rows.map(({ state }) => state)).to.deep.equal(['Attached', 'Unused', 'Attached']);
    expect(rows[1]?.why).to.equal('demo-1 lived on another volume of this name and never uses this one');
    expect(rows[1]?.safeToDelete).to.equal('unknown');
  });
});

describe('rendering', () => {
  it('shortens only columns that may be shortened, the widest first', () => {
    const rows = [{ a: 'x'.repeat(40), b: 'y'.repeat(40), c: 'kept-as-it-is' }];
    const lines = table(
      [
        { head: 'A', cell: ({ a }) => a, least: 5 },
        { head: 'C', cell: ({ c }) => c },
        { head: 'B', cell: ({ b }) => b, least: 5 },
      ],
      rows,
      { width: 60 },
    );
    expect(lines[1]).to.have.lengthOf(60).and.include('kept-as-it-is');
    expect(table([{ head: 'C', cell: ({ c }) => c }], rows, { width: 3 })[1]).to.equal('kept-as-it-is');
  });
  it('shows ages as kubectl does', () => {
    expect([0, 119_000, 120_000, 7_200_000, 172_800_000, undefined, Number.NaN].map(ageText)).to.deep.equal([
      '0s',
      '119s',
      '2m',
      '2h',
      '2d',
      '-',
      '-',
    ]);
  });
  it('escapes characters that move the cursor or turn text, and keeps letters of every script', () => {
    expect(harmless('a\u001b[1mb\u0007\u202ec')).to.equal('a\\u001b[1mb\\u0007\\u202ec');
    expect(harmless('größe 大きさ')).to.equal('größe 大きさ');
  });
  it('wraps between words and cuts with an ellipsis', () => {
    expect(wrap('one two three', 8, '  ')).to.deep.equal(['  one', '  two', '  three']);
    expect([fit('abcdef', 4), fit('abc', 4)]).to.deep.equal(['abc…', 'abc']);
  });
});

describe('completion', () => {
  const completed = async (...words: string[]) =>
    (await runFake(['__complete', '--', ...words], { server: serverWith(), nowMs: NOW_MS })).out
      .split('\n')
      .filter((line) => line !== '');

  it('completes verbs, flags, their values, clusters and nodes', async () => {
    expect(await completed('st')).to.deep.equal(['status']);
    expect(await completed('scale', '--name')).to.deep.equal(['--namespace']);
    expect(await completed('status', '-o', '')).to.deep.equal(['wide', 'json', 'yaml']);
    expect(await completed('explain', 'd')).to.deep.equal(['demo']);
    expect(await completed('replace', '')).to.deep.equal(['demo-0', 'demo-1', 'demo-2']);
    expect(await completed('explain', '-n', 'other', '')).to.deep.equal([]);
    expect(await completed('rollout', 're')).to.have.members(['restart', 'resume', 'retry']);
    expect(await completed('rollout', 'undo', '')).to.deep.equal(['demo']);
    expect(await completed('rollout', 'undo', '--dr')).to.deep.equal(['--dry-run']);
  });
  it('waits for names until the API server answers, or until Ctrl-C', async () => {
    const { signal } = new AbortController();
    const ends: unknown[] = [];
    const extra: FakeOptions['extra'] = (request) => void ends.push([request.signal === signal, request.timeoutMs]);
    const options = { server: serverWith(), nowMs: NOW_MS, extra, signal };
    const { out } = await runFake(['__complete', '--', 'restart', 'demo-'], options);
    expect(out).to.equal('demo-0\ndemo-1\ndemo-2\n');
    expect(ends).to.deep.equal([[true, undefined]]);
  });
  it('never offers hidden verbs or flags', async () => {
    expect(await completed(''))
      .to.include('force-remove')
      .and.not.include('__complete');
  });
});
