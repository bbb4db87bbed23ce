// The families that a scraper gets from the process, as it is started in a cluster: exactly those created in
// operator-metrics.ts, from the start, also while no API server answers.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createOperatorMetrics } from '../src/telemetry/operator-metrics.ts';

const MAIN = resolve(import.meta.dirname, '../src/main.ts');

describe('the metrics endpoint of the operator process', function () {
  this.timeout(30_000);
  let folder = '';
  let text = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marekvs-metrics-'));
    const [silentPort, metricsPort] = [await freePort(), await freePort()];
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'none',
        contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
        clusters: [{ name: 'none', cluster: { server: `http://127.0.0.1:${silentPort}` } }],
        users: [{ name: 'none', user: {} }],
      }),
    );
    const flags = [`--kubeconfig=${kubeconfig}`, `--metrics-bind-address=127.0.0.1:${metricsPort}`];
    const child = spawn(
      process.execPath,
      ['--conditions=development', MAIN, ...flags, '--health-probe-bind-address=0', '--log-level=debug'],
      { env: { PATH: process.env.PATH ?? '', HOME: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      for await (const line of createInterface({ input: child.stdout })) if (line.includes('"Listening"')) break;
      text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('has every family of the catalogue, with its type and help, and no other', () => {
    const catalogue = createOperatorMetrics('1').registry.getMetricsAsArray();
    const wanted = catalogue.flatMap(({ name, help, type }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]);
    expect(wanted.length).to.be.greaterThan(80);
    const served = text.split('\n').filter((line) => line.startsWith('# '));
    expect(served.sort()).to.deep.equal(wanted.sort());
  });

  it('reports from the start that it does not lead, so that a missing leader differs from a missing figure', () => {
    expect(text).to.include('leader_election_master_status{name="leader-election"} 0\n');
  });
});

/** A port without a listener: every connection is refused. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
