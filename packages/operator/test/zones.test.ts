// Members prefer different zones unless the user has set zones; no running Pod is outdated by that.

import { findCondition, type MarekvsClusterSpec, withDefaults } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toPodView } from '../src/caches/pod-view.ts';
import { nodeStatus } from '../src/node/status.ts';
import { nodeTemplate, templateHash } from '../src/objects/template.ts';
import { IDENTITY, nodeScope } from './support/objects.ts';
import { podOfSpec } from './support/pod-of-spec.ts';

const IMAGE = 'marekvs:test';
const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const KIN = { matchLabels: { app: 'web' } };

const affinityOf = (spec: Partial<MarekvsClusterSpec>) => podOfSpec({ image: IMAGE, ...spec }).spec?.affinity;
const preferred = (spec: Partial<MarekvsClusterSpec> = {}) =>
  affinityOf(spec)?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];

describe('the zones of members', () => {
  it('are preferred to be different, with less weight than hosts, and never required', () => {
    const weights = preferred().map(({ weight, podAffinityTerm }) => [podAffinityTerm.topologyKey, weight]);
    expect(weights).to.deep.equal([
      [HOST, 2],
      [ZONE, 1],
    ]);
    expect(Object.keys(affinityOf({}) ?? {})).to.deep.equal(['podAntiAffinity']);
    expect(affinityOf({})?.podAntiAffinity).to.not.have.property('requiredDuringSchedulingIgnoredDuringExecution');
  });

  it('apply to the members of the cluster, by the labels of a Pod', () => {
    const { labels } = podOfSpec({ image: IMAGE }).metadata;
    for (const { podAffinityTerm } of preferred()) {
      expect(podAffinityTerm.labelSelector?.matchLabels).to.include({ 'marekvs.io/cluster': 'demo' });
      expect(labels).to.include(podAffinityTerm.labelSelector?.matchLabels);
      expect(podAffinityTerm).to.not.have.any.keys('namespaces', 'namespaceSelector');
    }
  });

  const onHosts = { topologyKey: HOST, labelSelector: KIN };
  const silent = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'topology.kubernetes.io/region', operator: 'Exists' as const }] },
        ],
      },
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [onHosts],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 7, podAffinityTerm: onHosts }],
    },
  };
  it('are preferred in addition to all that the user wants about hosts', () => {
    const affinity = affinityOf({ affinity: silent });
    expect(affinity?.nodeAffinity).to.deep.equal(silent.nodeAffinity);
    expect(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution).to.deep.equal([onHosts]);
    expect(preferred({ affinity: silent }).map(({ weight }) => weight)).to.deep.equal([7, 2, 1]);
  });

  const inZones = { topologyKey: ZONE, labelSelector: KIN };
  const ofZone = { matchExpressions: [{ key: ZONE, operator: 'In' as const, values: ['a'] }] };
  const words: Record<string, MarekvsClusterSpec['affinity']> = {
    'a demand to be in different ones': {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [inZones] },
    },
    'a preference for different ones': {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: inZones }] },
    },
    'a demand to be in the same one': { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [inZones] } },
    'a preference for the same one': {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: inZones }] },
    },
    'a demand for hosts of one': {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [ofZone] } },
    },
    'a preference for hosts of one': {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference: ofZone }] },
    },
    'the older label': {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { ...inZones, topologyKey: 'failure-domain.beta.kubernetes.io/zone' },
        ],
      },
    },
  };
  for (const [word, affinity] of Object.entries(words)) {
    it(`are the user's alone with ${word}`, () => {
      expect(affinityOf({ affinity })).to.deep.equal(affinity);
    });
  }

  it("are the user's alone with a spread over zones, and not with one over racks", () => {
    const over = (topologyKey: string) => ({
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' as const }],
    });
    expect(podOfSpec({ image: IMAGE, ...over(ZONE) }).spec).to.not.have.property('affinity');
    expect(preferred(over('rack'))).to.have.lengthOf(2);
  });

  it('are not part of the hash, so that no earlier Pod is outdated or restarted by the next version', () => {
    const made = podOfSpec({ image: IMAGE });
    const { affinity, ...before } = made.spec ?? { containers: [] };
    expect(affinity).to.not.equal(undefined);
    const metadata = { ...made.metadata, uid: 'u', resourceVersion: '5' };
    const pod = toPodView({ ...made, metadata, spec: before });
    // The pinned hash of test/template-drift.test.ts, which is older than this preference.
    expect(pod.templateHash).to.equal('aceb1c58033bc1dc');
    const wanted = templateHash(nodeTemplate(withDefaults({ image: IMAGE }), IDENTITY));
    const { scope, plan } = nodeScope(0, { own: { pod, templateHash: wanted } });
    const { conditions } = nodeStatus({ scope, plan, refusal: undefined });
    expect(findCondition(conditions, 'UpToDate')?.reason).to.equal('TemplateCurrent');
  });
});
