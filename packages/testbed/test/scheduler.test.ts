import { type Placed, taintsToSet } from '@marekvs/simulator/scheduling';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { placeOnNode } from '../src/kubelet/scheduling/scheduler.ts';
import { node, pod } from './builders.ts';

const nodes = [node('host-0'), node('host-1', { disk: 'fast' }), node('host-2')];
const kin = { app: 'demo', 'app.kubernetes.io/instance': 'demo' };
const spread = (maxSkew = 1) => ({
  topologySpreadConstraints: [
    {
      maxSkew,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule' as const,
      labelSelector: { matchLabels: { app: 'demo' } },
    },
  ],
});
const antiAffinity = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'demo' } } },
      ],
    },
  },
};
const on = (nodeName: string, labels: Record<string, string> = kin): Placed => ({
  host: nodeName,
  pod: pod({ labels }),
});
const place = (spec: object, placed: readonly Placed[] = [], all = nodes): string => {
  const placement = placeOnNode(pod({ labels: kin, spec }), all, placed);
  return placement.kind === 'node' ? placement.nodeName : placement.message;
};

describe('placing a Pod', () => {
  it('prefers the host with the fewest Pods of the same cluster', () => {
    expect(
      place({}, [on('host-0'), on('host-1', { other: 'x' }), on('host-1', { other: 'x' }), on('host-2')]),
    ).to.equal('host-1');
  });

  it('chooses only a host with the labels of the node selector', () => {
    expect(place({ nodeSelector: { disk: 'fast' } }, [on('host-1'), on('host-1')])).to.equal('host-1');
  });

  it('finds no host for a label that none has, and says so like the real scheduler', () => {
    expect(place({ nodeSelector: { disk: 'none' } })).to.equal(
      "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
    );
  });

  it('keeps Pods apart that may not share a host', () => {
    expect(place(antiAffinity, [on('host-0'), on('host-1')])).to.equal('host-2');
    expect(place(antiAffinity, [on('host-0'), on('host-1'), on('host-2')])).to.match(
      /3 node\(s\) didn't match pod anti-affinity rules/,
    );
  });

  it('keeps the skew of a hard spread and lets a second round begin when all hosts have one', () => {
    expect(place(spread(), [on('host-0'), on('host-1')])).to.equal('host-2');
    expect(place(spread(), [on('host-0'), on('host-1'), on('host-2')])).to.equal('host-0');
  });

  it('spreads a Pod among those of its own namespace', () => {
    const elsewhere = { host: 'host-1', pod: pod({ namespace: 'other', labels: { app: 'demo' } }) };
    expect(place(spread(), [on('host-0'), on('host-2'), elsewhere, elsewhere])).to.equal('host-1');
  });

  it('avoids a tainted host unless the Pod tolerates the taint', () => {
    const tainted = { ...node('host-0'), spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' as const }] } };
    expect(place({}, [], [tainted])).to.match(/1 node\(s\) had untolerated taint/);
    expect(
      place({ tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }] }, [], [tainted]),
    ).to.equal('host-0');
  });

  const cordoned = { ...node('host-0'), spec: { unschedulable: true } };
  const tolerating = (key: string) => ({ tolerations: [{ key, operator: 'Exists', effect: 'NoSchedule' }] });
  const CORDON = 'node.kubernetes.io/unschedulable';

  it('takes a cordoned host only for a Pod that tolerates the taint of one', () => {
    expect(place({}, [], [cordoned])).to.match(/1 node\(s\) were unschedulable/);
    expect(place(tolerating('another'), [], [cordoned])).to.match(/1 node\(s\) were unschedulable/);
    expect(place(tolerating(CORDON), [], [cordoned])).to.equal('host-0');
  });

  const named = (name: string) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] });
  const nodeAffinity = (terms: object) => ({ affinity: { nodeAffinity: terms } });

  it('keeps to the host that a Pod is bound to by name, and to nothing when the rule is empty', () => {
    const bound = (term: object) =>
      nodeAffinity({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } });
    expect(place(bound(named('host-2')), [on('host-2')])).to.equal('host-2');
    expect(place(bound({}))).to.match(/3 node\(s\) didn't match Pod's node affinity/);
  });

  it('prefers the host that a Pod prefers, as long as it takes the Pod', () => {
    const preference = { weight: 100, preference: named('host-2') };
    const preferring = nodeAffinity({ preferredDuringSchedulingIgnoredDuringExecution: [preference] });
    expect(place(preferring, [on('host-2'), on('host-2')])).to.equal('host-2');
    expect(place(preferring, [], [node('host-1'), { ...node('host-2'), spec: { unschedulable: true } }])).to.equal(
      'host-1',
    );
  });

  it('finds no host when there are no Nodes', () => {
    expect(place({}, [], [])).to.equal('0/0 nodes are available.');
  });
});

describe('the taints of a host', () => {
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' as const };
  const other = { key: 'dedicated', value: 'x', effect: 'NoExecute' as const };
  const host = (unschedulable: boolean, ...taints: (typeof cordon | typeof other)[]) =>
    taintsToSet({ unschedulable, taints });

  it('gain that of a cordon and lose it again, and keep all others', () => {
    expect(host(true, other)).to.deep.equal([other, cordon]);
    expect(host(false, cordon, other)).to.deep.equal([other]);
  });

  it('are left alone when they are right', () => {
    expect([host(true, cordon), host(false, other), taintsToSet({})]).to.deep.equal(
      Array.from({ length: 3 }, () => undefined),
    );
  });
});
