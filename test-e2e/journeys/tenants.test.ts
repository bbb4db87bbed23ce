// Many teams on one installation: clusters of one name in several namespaces never meet. Broken clusters beside others
// are in broken-neighbours.test.ts.

import { readFileSync } from 'node:fs';
import type { V1Pod } from '@kubernetes/client-node';
import { withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createKube, type Kube } from '../support/kube.ts';
import { patientStore } from '../support/patient-store.ts';
import { plainSpec } from '../support/specs.ts';

const TENANTS = ['team-a', 'team-b', 'team-c'];

describe('an operator for many tenants', () => {
  // One process per member, because who is connected to whom is read from the kernel.
  const testbed = withTestbed({ before, after }, { operator: true, runner: 'process', speed: 10 });
  let kube: Kube;

  before(async () => {
    kube = createKube(testbed().kubeconfigs.admin);
    for (const name of TENANTS) await kube.createNamespace(name);
  });

  describe('with clusters of the same name in three namespaces', () => {
    const members = new Map<string, readonly V1Pod[]>();

    before(async function () {
      this.timeout(60_000);
      await Promise.all(TENANTS.map((namespace) => kube.createCluster(namespace, 'demo', plainSpec(3))));
      await Promise.all(TENANTS.map((namespace) => kube.healthy(namespace, 'demo', 3)));
      for (const namespace of TENANTS) members.set(namespace, (await kube.core.listNamespacedPod({ namespace })).items);
    });

    it('forms three clusters, each with an identity of its own that all its members carry', async () => {
      const identities = await Promise.all(
        TENANTS.map(async (namespace) => {
          const [only, ...others] = new Set((members.get(namespace) ?? []).map(identityOf));
          expect(others, namespace).to.deep.equal([]);
          expect((await kube.cluster(namespace, 'demo')).status?.formed?.clusterId).to.equal(only);
          return only;
        }),
      );
      expect(new Set(identities).size).to.equal(3);
    });

    it('shows every member the three of its own cluster and no others', async () => {
      const store = patientStore;
      for (const pods of members.values()) {
        const own = pods.map(ipOf).sort();
        expect(own).to.have.length(3);
        for (const host of own) expect((await store.nodes({ host })).map(({ ip }) => ip).sort()).to.deep.equal(own);
      }
    });

    it('connects no member to one of another namespace', () => {
      const tenantOf = new Map([...members].flatMap(([name, pods]) => pods.map((pod) => [ipOf(pod), name] as const)));
      const links = establishedLinks().flatMap(([from, to]) => {
        const ends = [tenantOf.get(from), tenantOf.get(to)];
        return ends.includes(undefined) ? [] : [ends];
      });
      expect(links.length, 'the members of one cluster are connected').to.be.at.least(TENANTS.length * 3);
      expect(links.filter(([from, to]) => from !== to)).to.deep.equal([]);
    });

    it('keeps what is written to one cluster out of the others', async () => {
      const store = patientStore;
      const values = new Map<string, string>();
      for (const [name, pods] of members) {
        await using session = await store.session({ host: ipOf(pods[0]) });
        await session.commands([['SET', 'owner', name]]);
      }
      for (const [name, pods] of members) {
        await using session = await store.session({ host: ipOf(pods[0]) });
        const [value] = await session.commands([['GET', 'owner']]);
        values.set(name, value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value));
      }
      expect(Object.fromEntries(values)).to.deep.equal(Object.fromEntries(TENANTS.map((name) => [name, name])));
    });
  });
});

function identityOf(pod: V1Pod): string {
  const env = pod.spec?.containers[0]?.env ?? [];
  return env.find(({ name }) => name === 'MAREKVS_CLUSTER')?.value ?? '';
}

function ipOf(pod: V1Pod | undefined): string {
  return pod?.status?.podIP ?? '';
}

/** Address pairs of all established TCP connections of this machine. */
function establishedLinks(): readonly (readonly [string, string])[] {
  const ESTABLISHED = '01';
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === ESTABLISHED)
    .map((fields) => [addressOf(fields[1]), addressOf(fields[2])] as const);
}

/** `0100007F:1F90` is 127.0.0.1:8080: the bytes of the address are reversed. */
function addressOf(field: string | undefined): string {
  const hex = field?.split(':')[0] ?? '';
  return [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join('.');
}
