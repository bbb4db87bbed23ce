// Every command of docs/errors.md and docs/reference/alerts.md, typed as it stands there with real names instead of the
// brackets: kubectl knows the verb, the kind, the flags and the fields, and the API server would carry it out. Changes
// are dry runs, so that the cluster stays as it is.

import { REASON_GUIDE } from '@marekvs/reference';
import { projectRoot, withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { alertsPage } from '../../packages/reference/test/support/shipped.ts';
import { createKube } from '../support/kube.ts';
import { installPlugin, type Plugin, type PluginResult } from '../support/plugin.ts';
import { plainSpec } from '../support/specs.ts';

const NAMESPACE = 'typed';
const CHANGES = /^(scale|delete|patch|annotate|apply) /;
const PLUGIN_CHANGES = /^mkv (wake|resume-member|replace|rollout (pause|resume|retry|undo|approve)) /;
/** The testbed has no containers, so there is no log to read, and the operator is a process, not a Deployment. */
const NOT_HERE = /^(logs|rollout|top) /;
const AT_ONCE = 8;

/** Commands that need an update under way: this cluster has none, so they are refused. */
const NEEDS_A_STOP = /^mkv rollout (approve|retry|undo) /;
const BLOCKED = 4;

describe('all commands of docs/errors.md and of the alerts', function () {
  this.timeout(120_000);
  const testbed = withTestbed({ before, after }, { runner: 'hollow', operator: true });
  const names = new Map<string, string>([
    ['<namespace>', NAMESPACE],
    ['<cluster>', 'demo'],
    ['data-<node>', 'data-demo-0'],
    ['<node>', 'demo-0'],
    ['<nodes>', '4'],
    ['<replicationFactor + 1>', '3'],
    ['<kind> <name>', 'service demo'],
    ['secret <name>', 'secret password'],
    ['storageclass <name>', 'storageclass standard'],
    ['<verb> <resource>', 'list pods'],
    ['<image>', 'ghcr.io/yannick/marekvs:other'],
    ['<size>', '20Gi'],
    ['<seconds>', '604800'],
    ['<labels of spec.hosts.onePerHost.nodeSelector>', 'kubernetes.io/os=linux'],
    ['/<reason>', '/it-is-gone'],
    ["'<reason>'", "'the hosts are gone'"],
  ]);

  let plugin: Plugin;

  before(async () => {
    plugin = await installPlugin(testbed());
    const kube = createKube(testbed().kubeconfigs.admin);
    await kube.createNamespace(NAMESPACE);
    await kube.core.createNamespacedSecret({ namespace: NAMESPACE, body: { metadata: { name: 'password' } } });
    await kube.createCluster(NAMESPACE, 'demo', plainSpec(3));
    await kube.healthy(NAMESPACE, 'demo', 3);
    const [node] = await kube.nodes(NAMESPACE);
    const [host] = (await kube.core.listNode()).items;
    names.set('<uid of the node>', node?.metadata.uid ?? '').set('<host>', host?.metadata?.name ?? '');
  });

  after(() => plugin.remove());

  function filledIn(command: string): string {
    let text = command.replace(/^kubectl /, '');
    for (const [placeholder, name] of names) text = text.replaceAll(placeholder, name);
    if (CHANGES.test(text)) return `${text} --dry-run=server`;
    return PLUGIN_CHANGES.test(text) ? `${text} --dry-run` : text;
  }

  /** Through a shell, as it would be typed. */
  function run(text: string): Promise<PluginResult> {
    if (text.startsWith('mkv ')) return plugin.type(`kubectl ${text}`);
    return plugin.shell(`cd "${projectRoot}" && kubectl ${text}`, { env: { KUBE_EDITOR: 'true' } });
  }

  /** @returns what is wrong with it */
  async function type(command: string): Promise<string | undefined> {
    const text = filledIn(command);
    if (/<[a-z]/.test(text)) return `${command}: nothing known about a placeholder`;
    const { code, err } = await run(text);
    const isTaken = code === 0 || (code === BLOCKED && NEEDS_A_STOP.test(text));
    return isTaken ? undefined : `${text}: ${err}`;
  }

  it('are accepted by kubectl and the API server', async () => {
    const told = [...Object.values(REASON_GUIDE), ...alertsPage().paragraphs];
    const commands = new Set(told.flatMap((one) => one.commands));
    const typed = [...commands].filter((command) => !NOT_HERE.test(filledIn(command)) && !command.includes('--watch'));
    const wrong: string[] = [];
    const queue = [...typed];
    const work = async () => {
      for (let command = queue.shift(); command !== undefined; command = queue.shift()) {
        const problem = await type(command);
        if (problem !== undefined) wrong.push(problem);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    console.log(`      commands typed: ${typed.length} of ${commands.size}`);
    expect(wrong).to.deep.equal([]);
    expect(typed.length).to.be.greaterThan(40);
  });
});
