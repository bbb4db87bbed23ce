// What a scrape of a running operator has: the families and label values of the catalogue and no others, a stuck
// cluster for as long as it is stuck, and nothing about clusters on a replica that does not lead.

import { metricCatalogue } from '@marekvs/reference';
import { type OperatorProcess, withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { NO_HOST } from '../support/broken-clusters.ts';
import { eventually } from '../support/eventually.ts';
import { type Exposition, expose, type Sample } from '../support/exposition.ts';
import { createKube, type Kube } from '../support/kube.ts';
import { plainSpec } from '../support/specs.ts';

const STUCK = 'marekvs_operator_cluster_stuck_since_timestamp_seconds';
const NAMESPACE = 'scraped';

describe('a scrape of the operator', function () {
  this.timeout(90_000);
  const testbed = withTestbed({ before, after }, { runner: 'hollow', operator: true });
  const catalogue = new Map(metricCatalogue().map((family) => [family.name, family]));
  let kube: Kube;
  let leader: OperatorProcess;

  before(async () => {
    kube = createKube(testbed().kubeconfigs.admin);
    leader = testbed().operator;
    await kube.createNamespace(NAMESPACE);
    await kube.createCluster(NAMESPACE, 'fine', plainSpec(3));
    await kube.healthy(NAMESPACE, 'fine', 3);
  });

  /** Label values the catalogue does not know, as `family{label="value"}`. */
  function foreign({ samples }: Exposition): readonly string[] {
    return samples.flatMap(({ name, labels }) => {
      const family = catalogue.get(name) ?? catalogue.get(name.replace(/_(bucket|sum|count)$/, ''));
      if (family === undefined) return [name];
      return Object.entries(labels).flatMap(([label, value]) => {
        if (label === 'le') return [];
        const values = family.labels.find((one) => one.name === label)?.text.values ?? [];
        return typeof values === 'string' || values.includes(value) ? [] : [`${name}{${label}="${value}"}`];
      });
    });
  }

  it('has exactly the families of the catalogue, and only label values it lists', async () => {
    const shown = await expose(leader);
    const wanted = [...catalogue.values()].map(({ name, type }) => `${name} ${type}`);
    expect([...shown.families].map((family) => family.join(' ')).sort()).to.deep.equal(wanted.sort());
    expect(foreign(shown)).to.deep.equal([]);
    expect(shown.samples.length).to.be.within(100, 1000);
  });

  it('counts a healthy cluster and its members, and names neither', async () => {
    const shown = await eventually('the cluster is out of the list of stuck ones', async () => {
      const next = await expose(leader);
      return next.of(STUCK).length === 0 && next;
    });
    const naming = shown.samples.filter(({ labels }) => labels.cluster !== undefined || labels.node !== undefined);
    expect(naming).to.deep.equal([]);
    const value = (name: string, label: string, of: string) =>
      shown.of(`marekvs_operator_${name}`).find(({ labels }) => labels[label] === of)?.value;
    expect(value('clusters', 'phase', 'Healthy')).to.equal(1);
    expect(value('members', 'answer', 'serving')).to.equal(3);
  });

  it('shows since when and why a cluster is stuck, and nothing of it once it is gone', async () => {
    await kube.createCluster(NAMESPACE, 'stuck', NO_HOST);
    const lines = await eventually('it is shown as stalled', async () => {
      const found = (await expose(leader)).of(STUCK);
      return found.some(({ labels }) => labels.problem === 'Stalled') && found;
    });
    const about = (problem: string): Sample | undefined => lines.find(({ labels }) => labels.problem === problem);
    for (const problem of ['NotReady', 'Stalled'])
      expect(about(problem)?.labels).to.deep.include({
        namespace: NAMESPACE,
        cluster: 'stuck',
        reason: 'PodUnschedulable',
      });
    const condition = (await kube.cluster(NAMESPACE, 'stuck')).status?.conditions?.find(
      ({ type }) => type === 'Stalled',
    );
    expect(about('Stalled')?.value).to.equal(Date.parse(condition?.lastTransitionTime ?? '') / 1000);
    const [success] = (await expose(leader)).of('marekvs_operator_cluster_last_success_timestamp_seconds');
    expect(success?.labels).to.deep.equal({ namespace: NAMESPACE, cluster: 'stuck' });
    await kube.deleteCluster(NAMESPACE, 'stuck');
    await eventually('its series are gone', async () => (await expose(leader)).of(STUCK).length === 0, 30_000);
  });

  it('of a standby has no clusters until it leads', async () => {
    const standby = await testbed().startOperator({
      extraArgs: ['--pod-name=standby'],
      extraEnv: { POD_UID: 'standby' },
    });
    await eventually('its caches are complete', async () => (await fetch(`http://${standby.healthAddress}/readyz`)).ok);
    const clusters = ({ of }: Exposition) => of('marekvs_operator_clusters').reduce((sum, { value }) => sum + value, 0);
    const slots = ({ of }: Exposition) => of('marekvs_operator_ownership_slots')[0]?.value;
    await eventually('the leader tells of the one that is left', async () => {
      const first = await expose(leader);
      return slots(first) === 1 && clusters(first) === 1;
    });
    const second = await expose(standby);
    expect([slots(second), clusters(second)]).to.deep.equal([0, 0]);
    await leader.stop();
    await eventually('the standby leads, and knows the cluster', async () => {
      const shown = await expose(standby);
      return slots(shown) === 1 && clusters(shown) === 1;
    });
  });
});
