// A MarekvsNode as it is made, and that one for a kept volume starts on no other.

import { ANNOTATIONS } from '@marekvs/api';
import { hasLostVolume, planNode } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { nodeObservation, observation, volume } from '../../planner/test/support/builders.ts';
import { toNodeView } from '../src/caches/views.ts';
import { buildNode, type CreateNode } from '../src/objects/new-node.ts';
import { nodeRecordOf } from '../src/pass/node-record.ts';
import { nodeObject, scopeOf } from './support/objects.ts';

const copy = volume(4, { name: 'copy', uid: 'copy' });
const volumes = [copy, volume(2, { uid: 'kept' }), volume(3, { uid: 'other' })];

function made(step: Partial<CreateNode> = {}) {
  const { cluster, stamp } = scopeOf(observation());
  const create: CreateNode = { kind: 'createNode', id: 2, why: 'ScalingUp', ...step };
  return buildNode(create, stamp.template, { cluster, stamp, nodes: [], volumes });
}

describe('a node that is made', () => {
  it('names the volume that was kept for its id, and none when there is none or only a copy with its labels', () => {
    expect(made().metadata.annotations).to.deep.equal({ [ANNOTATIONS.keptVolume]: 'kept' });
    expect(made({ id: 4 }).metadata.annotations).to.equal(undefined);
  });

  it('of a member that is taken over names the volume that it is to adopt', () => {
    const { annotations } = made({ adopts: { volumeUid: 'kept', dataDir: 'data' } }).metadata;
    expect(annotations).to.deep.equal({ [ANNOTATIONS.adoptedVolume]: 'kept', [ANNOTATIONS.dataDir]: 'data' });
  });

  it('starts on no empty volume when the kept one was deleted before anybody saw the two together', () => {
    const object = nodeObject(2);
    const { annotations } = made().metadata;
    const { metadata } = object;
    const view = toNodeView({ ...object, metadata: { ...metadata, ...(annotations && { annotations }) } });
    const node = nodeRecordOf(view, { pod: undefined, volume: undefined, answer: { kind: 'notAsked' } });
    expect(hasLostVolume(node)).to.equal(true);
    const { step, hold } = planNode(nodeObservation(node, { siblings: [node], isClusterFormed: true }));
    expect(step).to.equal(undefined);
    expect(hold?.reason).to.equal('VolumeLost');
  });
});
