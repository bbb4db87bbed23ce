// MarekvsNodes that name a cluster without being its own: no command counts them, and explain says whose they are not.

import type { MarekvsNode } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { runFake } from './support/fake-cli.ts';
import { CLUSTERS, NODES, ownedBy, put, REF, serverWith } from './support/fake-server.ts';
import { NOW_MS, node } from './support/objects.ts';

/** A copy of demo-1. Its owner is the cluster, unless it has another UID. */
interface Copy {
  readonly name: string;
  readonly clusterName?: string;
  readonly uid?: string;
  readonly nodeId?: number;
}

function run(line: string, copies: readonly Copy[] = []) {
  const server = serverWith();
  for (const { name, clusterName = 'demo', nodeId = 1, uid = server.get(CLUSTERS, REF).metadata.uid } of copies) {
    const own = ownedBy(node(1, { metadata: { name } }), uid);
    put(server, NODES, { ...own, spec: { ...own.spec, clusterName, nodeId } });
  }
  return runFake(line.split(' '), { server, nowMs: NOW_MS });
}

describe('a node that is not of the cluster', () => {
  const copies = [
    { name: 'demo-7' },
    { name: 'copy-1', clusterName: 'copy' },
    { name: 'demo-8', uid: 'other', nodeId: 8 },
  ];

  it('is not among those that status, logs and scale know', async () => {
    const bare = await run('status demo');
    expect((await run('status demo', copies)).out).to.equal(bare.out);
    const json = JSON.parse((await run('status demo -o json', copies)).out);
    expect(json.items.map(({ metadata }: MarekvsNode) => metadata.name)).to.deep.equal([
      'demo',
      'demo-0',
      'demo-1',
      'demo-2',
    ]);
  });
  it('is explained: one with the name of a member keeps that name from the cluster, any other is only a copy', async () => {
    const { out, code } = await run('explain demo -o json', copies);
    expect(code).to.not.equal(EXIT.failed);
    const findings = (JSON.parse(out).findings as { rule: string; member: string; kind: string; message: string }[])
      .filter(({ rule }) => rule === 'NodeForeign')
      .map(({ member, kind, message }) => [member, kind, message.split(': ')[1]]);
    expect(findings).to.have.deep.members([
      ['demo-7', 'blocked', 'node 1 of demo is demo-1'],
      ['demo-8', 'blocked', 'its owner has another UID'],
      ['copy-1', 'note', 'its owner is demo, and its spec.clusterName is copy'],
    ]);
  });
  it('is not mentioned where there is none', async () => {
    expect((await run('explain demo -o json')).out).to.not.include('NodeForeign');
  });
});
