import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type PlacedPod, placePod } from '../src/kubelet/scheduler.ts';
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
const on = (nodeName: string, labels: Record<string, string> = kin): PlacedPod => ({ nodeName, pod: pod({ labels }) });
const place = (spec: object, placed: readonly PlacedPod[] = [], all = nodes): string => {
  const placement = placePod(pod({ labels: kin, spec }), all, placed);
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

  it('avoids a tainted host unless the Pod tolerates the taint', () => {
    const tainted = { ...node('host-0'), spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' as const }] } };
    expect(place({}, [], [tainted])).to.match(/1 node\(s\) had untolerated taint/);
    expect(
      place({ tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }] }, [], [tainted]),
    ).to.equal('host-0');
  });

  it('finds no host when there are no Nodes', () => {
    expect(place({}, [], [])).to.equal('0/0 nodes are available.');
  });
});
