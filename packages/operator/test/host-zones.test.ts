// In which zone a member is: according to its Pod or its host, and how often the API server is asked.

import { ApiError, type KubeClient, type Node, TransportError } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pod } from '../../planner/test/support/builders.ts';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createHostZones, FRESH_MS } from '../src/hosts/host-zones.ts';
import { zoneOf } from '../src/node/observation/observe.ts';
import { nodeStatus, nodeStatusChange } from '../src/node/status.ts';
import { FAILED_MS, FORBIDDEN_MS } from '../src/pacing/paces.ts';
import { nodeScope } from './support/objects.ts';

const KEY = 'default/demo-1';
const ZONE = 'topology.kubernetes.io/zone';
const refusal = (status: number) =>
  new ApiError({ verb: 'get', subject: 'nodes host-1', path: '/api/v1/nodes/host-1', status, reason: '' });
const lost = new TransportError('get nodes host-1: no answer', {
  verb: 'get',
  path: '/api/v1/nodes/host-1',
  phase: 'timeout',
});

type Script = Readonly<Record<string, string>> | Error;

function rig(hosts: Record<string, Script>) {
  const clock = createManualClock();
  const stop = new AbortController();
  const asked: string[] = [];
  const told: string[] = [];
  const client: Partial<Record<keyof KubeClient, unknown>> = {
    async get(_kind: unknown, { name }: { readonly name: string }): Promise<Partial<Node>> {
      asked.push(name);
      const labels = hosts[name] ?? refusal(404);
      if (labels instanceof Error) throw labels;
      return { metadata: { name, labels } };
    },
  };
  const subject = createHostZones({ client: client as KubeClient, clock, onAnswer: (key) => void told.push(key) });
  const done = subject.run(stop.signal);
  return {
    clock,
    hosts,
    asked,
    told,
    ask: (host = 'host-1', key = KEY) => subject.ask(key, host),
    async end() {
      stop.abort();
      await done;
    },
  };
}

describe('the zone of a host', () => {
  it('is asked for once, and returned to every node that needs it', async () => {
    const { ask, clock, asked, told, end } = rig({ 'host-1': { [ZONE]: 'a' } });
    expect([ask(), ask('host-1', 'other/one-0'), ask()]).to.deep.equal([undefined, undefined, undefined]);
    await clock.run(0);
    expect(ask()).to.deep.equal({ zoneSource: 'Host', zone: 'a' });
    expect([asked, told]).to.deep.equal([['host-1'], [KEY, 'other/one-0']]);
    await end();
  });

  it('is asked for again for a later Pod, since another host may have the same name', async () => {
    const { ask, clock, asked, hosts, end } = rig({ 'host-1': { [ZONE]: 'a' } });
    ask();
    await clock.run(FRESH_MS - 1);
    expect(ask()).to.deep.equal({ zoneSource: 'Host', zone: 'a' });
    hosts['host-1'] = { [ZONE]: 'b' };
    await clock.run(1);
    expect(ask()).to.equal(undefined);
    await clock.run(0);
    expect([ask(), asked.length]).to.deep.equal([{ zoneSource: 'Host', zone: 'b' }, 2]);
    await end();
  });

  it('is none when the host has no label, and unknown when there is no host', async () => {
    const { ask, clock, told, end } = rig({ 'host-1': { [ZONE]: '' } });
    for (const host of ['host-1', 'host-2']) ask(host);
    await clock.run(0);
    expect([ask('host-1'), ask('host-2')]).to.deep.equal([{ zoneSource: 'HostUnlabelled' }, undefined]);
    expect(told).to.deep.equal([KEY, KEY]);
    await end();
  });

  it('is not asked for once any host may not be read, until ten minutes later', async () => {
    const { ask, clock, asked, hosts, end } = rig({ 'host-1': refusal(403), 'host-2': { [ZONE]: 'b' } });
    ask();
    await clock.run(0);
    expect([ask(), ask('host-2')]).to.deep.equal([{ zoneSource: 'NotReadable' }, { zoneSource: 'NotReadable' }]);
    await clock.run(FORBIDDEN_MS - 1);
    expect([ask(), asked]).to.deep.equal([{ zoneSource: 'NotReadable' }, ['host-1']]);
    hosts['host-1'] = { [ZONE]: 'a' };
    await clock.run(1);
    ask();
    await clock.run(0);
    expect(ask()).to.deep.equal({ zoneSource: 'Host', zone: 'a' });
    await end();
  });

  it('is asked for again a while after there was no answer', async () => {
    const { ask, clock, asked, told, hosts, end } = rig({ 'host-1': lost });
    ask();
    await clock.run(FAILED_MS - 1);
    expect([ask(), asked.length, told]).to.deep.equal([undefined, 1, []]);
    hosts['host-1'] = { [ZONE]: 'a' };
    await clock.run(1);
    expect(told).to.deep.equal([KEY]);
    expect(ask()).to.equal(undefined);
    await clock.run(0);
    expect(ask()).to.deep.equal({ zoneSource: 'Host', zone: 'a' });
    await end();
  });
});

describe('the zone of a member', () => {
  const asked: string[] = [];
  const hosts = (found: ReturnType<ReturnType<typeof rig>['ask']>) => ({
    ask(_key: string, host: string) {
      asked.push(host);
      return found;
    },
  });
  const labelled = (zone: string) => pod(1, { labels: { ...pod(1).labels, [ZONE]: zone } });
  const known = { zoneSource: 'Host', zone: 'b' } as const;

  it('is the one in its Pod, without a request', () => {
    asked.length = 0;
    expect(zoneOf(KEY, labelled('a'), {}, hosts(known))).to.deep.equal({ zone: 'a', zoneSource: 'Pod' });
    expect(asked).to.deep.equal([]);
  });

  it('is the one of its host when the Pod has none', () => {
    expect(zoneOf(KEY, pod(1), {}, hosts(known))).to.deep.equal(known);
    expect(zoneOf(KEY, labelled(''), {}, hosts(known))).to.deep.equal(known);
  });

  const stored: readonly [string, Parameters<typeof zoneOf>[2], boolean][] = [
    ['was found of this Pod', { podUID: pod(1).uid, zone: 'b', zoneSource: 'Host' }, false],
    ['was found to be none', { podUID: pod(1).uid, zoneSource: 'HostUnlabelled' }, false],
    ['might not be looked for', { podUID: pod(1).uid, zoneSource: 'NotReadable' }, true],
    ['was found of another Pod', { podUID: 'other', zone: 'b', zoneSource: 'Host' }, true],
    ['was never looked for', { podUID: pod(1).uid }, true],
  ];
  for (const [what, status, isAsked] of stored)
    it(`is ${isAsked ? '' : 'not '}asked for when it ${what}`, () => {
      asked.length = 0;
      const { podUID, ...before } = status;
      const found = zoneOf(KEY, pod(1), status, hosts(undefined));
      expect(asked).to.deep.equal(isAsked ? ['host-1'] : []);
      // The stored zone stays while it is asked for again, so that it is not removed for a moment.
      expect(found).to.deep.equal(podUID === 'other' ? {} : before);
    });

  it('is unknown without a host', () => {
    asked.length = 0;
    for (const one of [undefined, pod(1, { hostName: undefined })])
      expect(zoneOf(KEY, one, { podUID: pod(1).uid, zone: 'a', zoneSource: 'Pod' }, hosts(known))).to.deep.equal({});
    expect(asked).to.deep.equal([]);
  });

  it('is written to the status without urgency', () => {
    const { scope, plan } = nodeScope(1);
    const before = nodeStatus({ scope, plan, refusal: undefined });
    const after = nodeStatus({ scope: { ...scope, zone: known }, plan, refusal: undefined });
    expect([before.zone, before.zoneSource, after.zone, after.zoneSource]).to.deep.equal([
      undefined,
      undefined,
      'b',
      'Host',
    ]);
    expect(nodeStatusChange(before, after, false)).to.equal('lazy');
  });
});
