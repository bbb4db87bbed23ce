// What `kubectl mkv status` says about zones: how members are spread, what the loss of a zone would cost, and what is
// not known.

import type { MarekvsNodeStatus } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { plain } from '../src/screen/text.ts';
import { nodeTable } from '../src/verbs/status/screen.ts';
import { zoneLines } from '../src/verbs/status/zones.ts';
import { facts, NOW_MS, node } from './support/objects.ts';

const CONTEXT = { nowMs: NOW_MS, width: undefined, paint: plain };
type Zoned = Pick<MarekvsNodeStatus, 'zone' | 'zoneSource' | 'ownedPartitions'>;

const inZone = (zone: string): Zoned => ({ zone, zoneSource: 'Pod' });
const textOf = (statuses: readonly Zoned[], replicationFactor = 2): string =>
  zoneLines(
    statuses.map((status, id) => {
      const { spec } = node(id);
      return node(id, { status, spec: { template: { ...spec.template, replicationFactor } } });
    }),
    CONTEXT,
  )
    .join('\n')
    .trim();

describe('the zones of a cluster', () => {
  it('are reported with the share of partitions that have all homes in one zone, and with the way to have none', () => {
    const text = textOf(['a', 'b', 'c', 'a', 'b', 'c'].map(inZone));
    expect(text).to.match(
      /^zones: a has 2 members, b has 2, c has 2; \d{3} of 4096 partitions \((1[5-9]|2[0-5]) %\) have all their homes in one of them, since marekvs places by ids and knows no zones: replicationFactor 3 leaves none$/,
    );
  });

  it('are as they should be when each member has its own', () => {
    expect(textOf(['a', 'b', 'c'].map(inZone))).to.equal(
      'zones: a has 1 member, b has 1, c has 1; no partition has all its homes in one of them',
    );
  });

  it('are reported without advice when no replicationFactor would help', () => {
    expect(textOf(['a', 'a', 'a', 'b'].map(inZone))).to.match(/: spreading members over more zones makes it fewer$/);
  });

  it('are reported as one when all members are in the same', () => {
    expect(textOf(['a', 'a', 'a'].map(inZone))).to.equal('zones: all 3 members are in a');
  });

  it('are reported without a share of partitions when every key has one home', () => {
    expect(textOf(['a', 'a', 'b'].map(inZone), 1)).to.equal('zones: a has 2 members, b has 1');
  });

  it('are reported as unknown when the operator may not read hosts, with the component that would allow it', () => {
    const hidden: Zoned = { zoneSource: 'NotReadable' };
    expect(textOf([inZone('a'), hidden, inZone('b')])).to.match(
      /^zones: a has 1 member, b has 1; .*; not known of demo-1: .*config\/components\/hosts\)$/,
    );
    expect(textOf([hidden, hidden, hidden])).to.match(/^zones: not known of demo-0, demo-1, demo-2: /);
  });

  it('are not reported when no host has one, or nothing is known yet', () => {
    const none: Zoned = { zoneSource: 'HostUnlabelled' };
    expect([textOf([none, none, none]), textOf([{}, {}, {}])]).to.deep.equal(['', '']);
    expect(textOf([inZone('a'), inZone('b'), none])).to.match(/; demo-2 on hosts without a zone$/);
  });

  it('are those of homes, which a joining node is not yet', () => {
    const joining: Zoned = { ...inZone('c'), ownedPartitions: 0 };
    expect(textOf([inZone('a'), inZone('a'), joining])).to.equal('zones: all 2 members are in a');
  });

  it('have their own column in a wide table', () => {
    const { parts } = facts({ nodes: [node(1, { status: inZone('eu-1b') })] });
    const heads = (isWide: boolean) => nodeTable(parts, { ...CONTEXT, isWide });
    expect(heads(true).join('\n')).to.match(/HOST +ZONE [\s\S]*host-1 +eu-1b/);
    expect(heads(false).join('\n')).to.not.include('eu-1b');
  });
});
