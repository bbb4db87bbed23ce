// config/components/monitoring as kubectl renders it, the overlay of its README that gives links a base, and the answer
// of an API server that has the kinds of the Prometheus operator.
// Own API server: it installs other kinds there.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  NoMonitoringKindsError,
  obtainControlPlane,
  obtainMonitoringKinds,
  projectRoot,
  renderKustomization,
  withTestbed,
} from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createKubectl } from './support/kubectl.ts';

const FOLDER = join(projectRoot, 'config', 'components', 'monitoring');

describe('config/components/monitoring', function () {
  this.timeout(30_000);
  let kubectl = '';
  let overlay = '';

  before(async () => {
    kubectl = (await obtainControlPlane()).kubectl;
    overlay = await mkdtemp(join(tmpdir(), 'marekvs-overlay-'));
  });
  after(() => rm(overlay, { recursive: true, force: true }));

  it('renders one object of each kind, all in the namespace of the operator', async () => {
    const objects = await renderKustomization(kubectl, FOLDER);
    expect(objects.map(({ kind }) => kind).sort()).to.deep.equal([
      'ConfigMap',
      'PodMonitor',
      'PrometheusRule',
      'ServiceMonitor',
    ]);
    for (const { metadata } of objects) expect(metadata?.namespace).to.equal('marekvs-system');
    const [dashboard] = objects.filter(({ kind }) => kind === 'ConfigMap');
    const { data } = dashboard as unknown as { readonly data: Readonly<Record<string, string>> };
    expect(data['marekvs-operator.json']).to.equal(await readFile(join(FOLDER, 'dashboard.json'), 'utf8'));
  });

  it('gives every link the base that the overlay of its README names', async () => {
    const readme = await readFile(join(FOLDER, 'README.md'), 'utf8');
    const [, example = ''] = /```yaml\n(.+?)```/s.exec(readme) ?? [];
    const text = example
      .replace('../../config/components/monitoring', relative(overlay, FOLDER))
      .replace(/<[^>]+>/, 'base:/somewhere');
    await writeFile(join(overlay, 'kustomization.yaml'), text);
    const rendered = JSON.stringify(await renderKustomization(kubectl, overlay));
    const links = [...rendered.matchAll(/"runbook_url":"([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).to.have.length.above(20);
    expect(links.filter((link) => !link.startsWith('base:/somewhere/docs/'))).to.deep.equal([]);
  });
});

describe('config/components/monitoring on an API server with the kinds of the Prometheus operator', function () {
  this.timeout(60_000);
  const testbed = withTestbed({ before, after }, { kubelet: false, crds: false, withControllerManager: false });

  before(async function () {
    try {
      await testbed().apply(await obtainMonitoringKinds());
    } catch (error) {
      if (!(error instanceof NoMonitoringKindsError)) throw error;
      console.log(`  skipped: ${error.message}`);
      this.skip();
    }
  });

  it('is applied with one command, and no field of it is unknown', async () => {
    const kubectl = createKubectl(testbed());
    const printed = await kubectl('apply', '--validate=strict', '-k', FOLDER);
    expect(printed.trim().split('\n').sort()).to.deep.equal([
      'configmap/marekvs-dashboard created',
      'podmonitor.monitoring.coreos.com/marekvs-members created',
      'prometheusrule.monitoring.coreos.com/marekvs-operator created',
      'servicemonitor.monitoring.coreos.com/marekvs-operator created',
    ]);
  });
});
