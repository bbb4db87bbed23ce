// The simulator's texts, compared with answers of a real three-node cluster, and read by the operator's own parsers.

import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseClusterInfo, parseClusterNodes, parseMetricsText } from '@marekvs/store-client';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { MemberNetwork } from '../src/index.ts';
import { ownedBy, placementFor, slotRanges } from '../src/member/membership/placement.ts';
import { decode, ids, textOf } from './support.ts';

const sample = (name: string) => fs.readFileSync(new URL(`./samples/${name}`, import.meta.url));

describe('answers compared with the real server', () => {
  let net: MemberNetwork;
  before(() => {
    // The ids, addresses and boot second of the sample cluster.
    net = new MemberNetwork({ seed: 1, startWallMs: 1_795_262_237_000 });
    net.formed(ids(3));
    net.advance(5_000);
  });

  it('CLUSTER NODES is the sample byte for byte', () => {
    const text = textOf(decode(net.call(1, 'CLUSTER', 'NODES')));
    expect(text).to.equal(sample('cluster_nodes.txt').toString());
    expect(parseClusterNodes(text).map((line) => line.id)).to.deep.equal(ids(3));
  });

  it('CLUSTER SLOTS is the sample byte for byte', () => {
    const raw = net.call(1, 'CLUSTER', 'SLOTS');
    expect(raw.length).to.equal(gunzipSync(sample('cluster_slots.raw.gz')).length);
    expect(raw === gunzipSync(sample('cluster_slots.raw.gz')).toString('latin1')).to.equal(true);
  });

  it('CLUSTER INFO is the sample except for the epoch', () => {
    const text = textOf(decode(net.call(1, 'CLUSTER', 'INFO')));
    const withoutEpoch = (info: string) => info.replace(/current_epoch:\d+/, '');
    expect(withoutEpoch(text)).to.equal(withoutEpoch(sample('cluster_info.txt').toString()));
    expect(parseClusterInfo(text)).to.include({ knownNodes: 3, size: 3, myEpoch: 1_795_262_237 });
  });

  it('INFO without a section has the lines of the sample', () => {
    const keysOf = (text: string) => text.split(/\r?\n/).map((line) => line.split(':')[0]);
    expect(keysOf(textOf(decode(net.call(1, 'INFO'))))).to.deep.equal(keysOf(sample('info_bare.txt').toString()));
  });

  it('/metrics has the families, types, help texts and order of the sample', () => {
    for (const command of ['SET', 'INFO', 'PING']) net.call(1, command, ...(command === 'SET' ? ['k', 'v'] : []));
    const comments = (text: string) => text.split('\n').filter((line) => line.startsWith('#'));
    const body = net.http(1, '/metrics')?.body ?? '';
    expect(comments(body)).to.deep.equal(comments(sample('http_metrics.txt').toString()));
    const names = (text: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith('marekvs_'))
        .map((line) => line.split(' ')[0]);
    expect(names(body)).to.deep.equal(names(sample('http_metrics.txt').toString()));
    expect(parseMetricsText(body)).to.include({ nodeId: 1, clusterMembers: 3, isFresh: true });
  });

  it('labelled families are absent until they were used', () => {
    const fresh = new MemberNetwork({ seed: 2 });
    fresh.start(1);
    fresh.advance(3_000);
    const body = fresh.http(1, '/metrics')?.body ?? '';
    expect(body).to.not.include('marekvs_commands_total');
    expect(body).to.not.include('marekvs_command_duration_seconds');
    fresh.call(1, 'NOSUCH');
    expect(fresh.http(1, '/metrics')?.body).to.include('marekvs_command_errors_total{cmd="nosuch"} 1\n');
  });

  it('a drained member loses its slots on the others as in the sample', () => {
    net.http(3, '/drain');
    net.advance(2_000);
    const text = textOf(decode(net.call(1, 'CLUSTER', 'NODES')));
    expect(text).to.equal(sample('cluster_nodes_while_3_leaving_from_1.txt').toString());
    expect(parseClusterInfo(textOf(decode(net.call(1, 'CLUSTER', 'INFO'))))).to.include({ knownNodes: 3, size: 2 });
  });

  it('owned counts and slot ranges are those of the real server', () => {
    const placement = (count: number) =>
      placementFor(
        Array.from({ length: count }, (_, id) => ({ id, isLeaving: false })),
        2,
      );
    const counts = (count: number) => Array.from({ length: count }, (_, id) => ownedBy(placement(count), id).length);
    expect(counts(3)).to.deep.equal([2_712, 2_768, 2_712]);
    expect(counts(5)).to.deep.equal([1_623, 1_599, 1_620, 1_689, 1_661]);
    const candidates = ids(3).map((id) => ({ id, isLeaving: false }));
    expect(slotRanges(placementFor(candidates, 2))).to.have.length(3_383);
  });
});
