// The campaign of fields (packages/reliability/src/fields) against a real control plane: what it assumes about the API
// server, for every spec and every Pod of it, and a sample of its changes on one cluster.

import type { MarekvsCluster, Reason } from '@marekvs/api';
import { ApiError, type Transport } from '@marekvs/runtime';
import { connect } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { podOfSpec } from '../../packages/operator/test/support/pod-of-spec.ts';
import {
  BASE_SPEC,
  changeFromBase,
  PRIORITY_CLASSES,
  podCode,
  specVerdicts,
} from '../../packages/reliability/test/field-contract.ts';
import { type ClusterHandle, clusterHandle } from '../support/cluster-handle.ts';
import type { Ledger } from '../support/ledger.ts';
import { conditionOf } from '../support/seen.ts';
import { withWorld } from '../support/world.ts';

const NS = 'fields';
/** Requests at once, with which all of them take some seconds. */
const AT_ONCE = 16;

type Said = { readonly condition: 'Stalled' | 'RollingOut' | 'PendingChange' | 'Paused'; readonly reason: Reason };
/** A field, how it is changed, and what the operator says about that instead of restarting members. */
const SAMPLE: readonly (readonly [path: string, kind: 'set' | 'grown' | 'wrong', said: Said])[] = [
  ['auth', 'wrong', { condition: 'Stalled', reason: 'SecretNotReadable' }],
  ['paused', 'grown', { condition: 'Paused', reason: 'Paused' }],
];
/** Mistakes with which no new node can start; each one replaces the one before. */
const MISTAKES: readonly (readonly [path: string, reason: Reason])[] = [
  ['image', 'ImagePullFailed'],
  ['priorityClassName', 'ForbiddenByPolicy'],
  ['podMetadata.labels', 'RequestInvalid'],
];

describe('the fields of the spec', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);

  before(async function () {
    this.timeout(90_000);
    await cluster.create(3, BASE_SPEC);
    const transport = connect(world().testbed.controlPlane.adminCredentials, 'fields');
    for (const name of PRIORITY_CLASSES)
      await post(transport, '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value: 1 });
    await transport.close();
  });

  it('are accepted or refused by the API server as the campaign assumes, in each of its specs', async () => {
    const specs = specVerdicts();
    const path = `/apis/marekvs.io/v1alpha1/namespaces/${NS}/marekvsclusters?dryRun=All&fieldValidation=Strict`;
    const wrong = await askAll(specs, async (transport, { title, spec, stored }) => {
      const code = await post(transport, path, { metadata: { name: 'dry' }, spec });
      return (code === 201) === (stored !== undefined) ? [] : [`${code}: ${title}`];
    });
    console.log(
      `      ${specs.length} specs, ${specs.filter(({ stored }) => stored === undefined).length} of them refused`,
    );
    expect(wrong).to.deep.equal([]);
  });

  it('make Pods that the API server accepts or refuses as the campaign assumes', async () => {
    const made = new Map<string, { readonly title: string; readonly pod: object }>();
    for (const { title, stored } of specVerdicts()) {
      if (stored === undefined) continue;
      const { metadata, ...rest } = podOfSpec(stored);
      const pod = { ...rest, metadata: { ...metadata, name: 'dry', namespace: NS } };
      made.set(JSON.stringify(pod), { title, pod });
    }
    const path = `/api/v1/namespaces/${NS}/pods?dryRun=All`;
    const codes: number[] = [];
    const wrong = await askAll([...made], async (transport, [text, { title, pod }]) => {
      const code = await post(transport, path, pod);
      codes.push(code);
      // Through JSON, which drops what is undefined, as the operator sends it.
      const expected = podCode(JSON.parse(text));
      return code === expected ? [] : [`${code} and not ${expected}: ${title}`];
    });
    console.log(`      ${made.size} Pods, ${codes.filter((code) => code !== 201).length} of them refused`);
    expect(wrong).to.deep.equal([]);
  });

  describe('of one cluster that are changed and changed back:', () => {
    let ledger: Ledger;
    let podUids: readonly string[];

    before(async () => {
      ledger = await cluster.writtenLedger();
      podUids = await ownPods(cluster);
    });

    for (const [path, kind, said] of SAMPLE) {
      it(`${path}, ${kind}: ${said.condition} says ${said.reason}, no Pod is restarted, and the way back is open`, async () => {
        await cluster.edit(editTo(changeFromBase(path, kind).to));
        await saysReason(cluster, said);
        expect(await ownPods(cluster)).to.deep.equal(podUids);
        await cluster.edit(editTo(BASE_SPEC));
        await cluster.says('all is as before', (seen) => isAsBefore(seen, 3));
        expect(await ownPods(cluster)).to.deep.equal(podUids);
      });
    }

    it('mistakes that keep a new node from starting are named one by one, restart nobody, and end with a good spec', async () => {
      for (const [path, reason] of MISTAKES) {
        await cluster.edit({ ...editTo(changeFromBase(path, 'wrong').to), nodes: 4 });
        await saysReason(cluster, { condition: 'Stalled', reason });
        expect(await ownPods(cluster)).to.deep.equal(podUids);
      }
      await cluster.edit({ ...editTo(BASE_SPEC), nodes: 4 });
      const { status } = await cluster.says('all is well', (seen) => isAsBefore(seen, 4));
      expect(status?.instanceNames).to.deep.equal(['demo-0', 'demo-1', 'demo-2', 'demo-3']);
      expect(await ownPods(cluster)).to.deep.equal(podUids);
    });

    it('every acknowledged write is kept through all of it', async () => {
      await ledger.check([0, 1, 2, 3]);
    });
  });

  async function askAll<T>(
    all: readonly T[],
    ask: (transport: Transport, one: T) => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const transport = connect(world().testbed.controlPlane.adminCredentials, 'fields');
    const waiting = [...all];
    const problems: string[] = [];
    const row = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
        problems.push(...(await ask(transport, one)));
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, row));
    } finally {
      await transport.close();
    }
    return problems;
  }
});

/** HTTP status of a create. */
async function post(transport: Transport, path: string, object: object): Promise<number> {
  const [route = ''] = path.split('?');
  const kinds: Readonly<Record<string, readonly [string, string]>> = {
    marekvsclusters: ['marekvs.io/v1alpha1', 'MarekvsCluster'],
    pods: ['v1', 'Pod'],
    priorityclasses: ['scheduling.k8s.io/v1', 'PriorityClass'],
  };
  const resource = route.split('/').at(-1) ?? '';
  const [apiVersion, kind] = kinds[resource] ?? [];
  try {
    await transport.request({
      verb: 'create',
      path,
      resource,
      subject: resource,
      body: { ...object, apiVersion, kind },
    });
    return 201;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status;
  }
}

/** UIDs of the Pods of the three first members. */
async function ownPods(cluster: ClusterHandle): Promise<readonly string[]> {
  const found = await Promise.all([0, 1, 2].map((id) => cluster.pod(id, 'is there')));
  return found.map(({ metadata }) => metadata.uid);
}

/** The patch that turns whichever spec of the campaign the cluster has into this one. */
function editTo(spec: typeof BASE_SPEC): object {
  const others = [...SAMPLE, ...MISTAKES].flatMap(([path]) => path.split('.')[0] ?? []);
  return { ...Object.fromEntries(others.map((name) => [name, null])), ...spec };
}

function saysReason(cluster: ClusterHandle, { condition, reason }: Said): Promise<MarekvsCluster> {
  return cluster.says(
    `${condition} says ${reason}`,
    (seen) => hasSeen(seen) && conditionOf(seen.status, condition)?.reason === reason,
  );
}

function hasSeen({ metadata, status }: MarekvsCluster): boolean {
  return status?.observedGeneration === metadata.generation;
}

/** Healthy at this size, and no condition reports anything. */
function isAsBefore(seen: MarekvsCluster, nodes: number): boolean {
  const { status } = seen;
  const isQuiet =
    conditionOf(status, 'Stalled')?.status === 'False' &&
    conditionOf(status, 'Paused')?.status === 'False' &&
    conditionOf(status, 'RollingOut')?.reason === 'TemplateCurrent' &&
    conditionOf(status, 'PendingChange')?.status === 'False';
  return hasSeen(seen) && status?.phase === 'Healthy' && status.readyNodes === nodes && isQuiet;
}
