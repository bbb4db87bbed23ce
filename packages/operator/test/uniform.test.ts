// What all members must share is not changed for new ones alone.

import { withDefaults } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { node } from '../../planner/test/support/builders.ts';
import { nodeTemplate } from '../src/cluster/template.ts';
import { decidingSpec, runningSettings, stampedSpec } from '../src/cluster/uniform.ts';
import { IDENTITY } from './support/objects.ts';

const specOf = (replicationFactor: number, gcGraceSeconds: number) =>
  withDefaults({ image: 'marekvs:test', replicationFactor, gcGraceSeconds });
const stamped = (replicationFactor: number, gcGraceSeconds = 600) =>
  nodeTemplate(specOf(replicationFactor, gcGraceSeconds), IDENTITY);

describe('the settings that a cluster is run with', () => {
  it('are those of its members once it is formed, the larger ones where they differ', () => {
    const nodes = [
      { record: node(0), template: stamped(2, 900) },
      { record: node(1), template: stamped(3, 600) },
    ];
    expect(runningSettings(true, nodes)).to.deep.equal({ replicationFactor: 3, gcGraceSeconds: 900, auth: undefined });
    expect(runningSettings(false, nodes)).to.equal(undefined);
  });

  it('are those of the spec when no member is left that may hold data', () => {
    const lost = { record: node(0, { volume: undefined }), template: stamped(2) };
    const fresh = { record: node(1, { serving: false }), template: stamped(2) };
    expect(runningSettings(true, [lost, fresh])).to.equal(undefined);
    expect(decidingSpec(specOf(3, 600), undefined).replicationFactor).to.equal(3);
  });

  it('are what new nodes are made with, whatever the spec says', () => {
    const running = { replicationFactor: 2, gcGraceSeconds: 600, auth: undefined };
    expect(stampedSpec(specOf(3, 900), running)).to.deep.include({ replicationFactor: 2, gcGraceSeconds: 600 });
  });

  it('let no kept volume back that is older than what either of them remembers', () => {
    const running = { replicationFactor: 2, gcGraceSeconds: 600, auth: undefined };
    expect(decidingSpec(specOf(3, 900), running)).to.deep.include({ replicationFactor: 2, gcGraceSeconds: 600 });
    expect(decidingSpec(specOf(3, 300), running)).to.deep.include({ replicationFactor: 2, gcGraceSeconds: 300 });
  });
});
