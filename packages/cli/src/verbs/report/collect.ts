// Gathers a support bundle: objects, events, logs, and what this program makes of them. No Secret is ever read. What
// cannot be read is listed in the bundle itself, so that nobody takes it for empty.

import { clusterSelector, LABELS, type MarekvsCluster, selectorString } from '@marekvs/api';
import {
  nodes as hosts,
  type Kind,
  type KubeObject,
  leases,
  networkPolicies,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  services,
} from '@marekvs/runtime';
import { readParts } from '../../cluster/cluster-parts.ts';
import { readHosts } from '../../cluster/hosts.ts';
import { observationOf } from '../../cluster/observation.ts';
import type { Run } from '../../connection/cli.ts';
import { failureOf } from '../../connection/errors.ts';
import { explain } from '../../explain/explain.ts';
import { isAbout, readEvents } from '../../explain/facts/events.ts';
import type { ExplainFacts } from '../../explain/facts/finding.ts';
import { gatherFacts } from '../../explain/facts/gather.ts';
import { explanation } from '../../explain/screen.ts';
import { readLog } from '../../members/logs.ts';
import { documentText } from '../../screen/document.ts';
import { harmless, isoText, plain, type RenderContext } from '../../screen/text.ts';
import { unmeasuredLines } from '../../sizing/next-lines.ts';
import { nextSteps } from '../plan/next.ts';
import { planLines } from '../plan/screen.ts';
import { clusterScreen } from '../status/screen.ts';
import { redactObject, redactText } from './redact.ts';
import type { ArchiveFile } from './tar.ts';

const MAX_LOG_BYTES = 1 << 20;
const LOG_LINES = 2_000;
const MAX_FILE_BYTES = 2 << 20;
export const MAX_REPORT_BYTES = 32 << 20;
const WIDE = 160;

export interface Report {
  readonly files: readonly ArchiveFile[];
  /** What is not in it, and why. */
  readonly missing: readonly string[];
}

export async function collectReport(
  run: Run,
  cluster: MarekvsCluster,
  operatorNamespace: string | undefined,
): Promise<Report> {
  const bundle = createBundle();
  const facts = await gatherFacts(run, cluster, operatorNamespace);
  for (const what of facts.unread) bundle.miss(what);
  const { namespace, name } = cluster.metadata;
  await addFindings(run, facts, bundle);
  const own = selectorString(clusterSelector(name));
  await bundle.add('objects/cluster.yaml', () => yaml(cluster));
  await bundle.add('objects/nodes.yaml', () => yaml(facts.parts.nodes));
  const list = <T extends KubeObject>(file: string, kind: Kind<T>, where: string | undefined, labelSelector?: string) =>
    bundle.add(file, async () => yaml(await run.list(kind, { namespace: where, labelSelector })));
  await list('objects/pods.yaml', pods, namespace, own);
  await list('objects/volumes.yaml', persistentVolumeClaims, namespace, `${LABELS.cluster}=${name}`);
  await list('objects/services.yaml', services, namespace, own);
  await list('objects/budgets.yaml', podDisruptionBudgets, namespace, own);
  await list('objects/policies.yaml', networkPolicies, namespace, own);
  await list('objects/hosts.yaml', hosts, undefined);
  await list('operator/leases.yaml', leases, facts.operator.namespace);
  await list('operator/pods.yaml', pods, facts.operator.namespace, OPERATOR_SELECTOR);
  await bundle.add('version.json', () => apiVersion(run));
  for (const { metadata } of facts.parts.nodes)
    await addLog(run, bundle, `logs/${metadata.name}.log`, namespace, metadata.name);
  await addOperatorLogs(run, bundle, facts.operator.namespace);
  await bundle.add('README.txt', async () => readme(cluster, run, bundle.missing));
  return { files: bundle.files, missing: bundle.missing };
}

const OPERATOR_SELECTOR = 'app.kubernetes.io/name=marekvs-operator';

async function addFindings(run: Run, facts: ExplainFacts, bundle: Bundle): Promise<void> {
  const { parts, nowMs } = facts;
  const context: RenderContext = { nowMs, width: WIDE, paint: plain };
  const { namespace, name } = parts.cluster.metadata;
  await bundle.add('status.txt', async () => clusterScreen(parts, facts.operator, context).join('\n'));
  await bundle.add('explain.txt', async () => explanation(facts, explain(facts), context).join('\n'));
  await bundle.add('plan.txt', async () => {
    const whole = await readParts(run, parts.cluster);
    const next = nextSteps(observationOf(whole, await readHosts(run, whole), nowMs));
    return planLines(parts.cluster, next, unmeasuredLines(parts.cluster), context).join('\n');
  });
  await bundle.add('events.txt', async () => {
    const events = (await readEvents(run, namespace)).filter((event) => isAbout(event, name));
    return events
      .map(
        (one) =>
          `${isoText(one.atMs) ?? '-'} ${one.type} ${one.kind}/${one.name} ${one.reason} x${one.count}: ${harmless(one.note)}`,
      )
      .join('\n');
  });
}

async function addOperatorLogs(run: Run, bundle: Bundle, namespace: string): Promise<void> {
  try {
    for (const { metadata } of await run.list(pods, { namespace, labelSelector: OPERATOR_SELECTOR }))
      await addLog(run, bundle, `operator/${metadata.name}.log`, namespace, metadata.name);
  } catch (error) {
    bundle.miss(`operator logs: ${failureOf(error).message}`);
  }
}

function addLog(run: Run, bundle: Bundle, file: string, namespace: string, name: string): Promise<void> {
  return bundle.add(file, async () => {
    const lines: string[] = [];
    await readLog(run, { namespace, name }, { tail: LOG_LINES, maxBytes: MAX_LOG_BYTES }, (line) =>
      lines.push(harmless(line)),
    );
    return lines.join('\n');
  });
}

async function apiVersion(run: Run): Promise<string> {
  const { transport } = await run.connect();
  const version = await transport.request<unknown>({
    verb: 'get',
    path: '/version',
    resource: 'version',
    subject: 'version of the API server',
    signal: run.ports.signal,
  });
  return JSON.stringify(version, undefined, 2);
}

async function yaml(value: unknown): Promise<string> {
  return documentText(redactObject(value), 'yaml');
}

function readme({ metadata }: MarekvsCluster, run: Run, missing: readonly string[]): string {
  return [
    `Report about MarekvsCluster ${metadata.namespace}/${metadata.name}, made ${new Date(run.ports.nowMs()).toISOString()} by kubectl mkv.`,
    'No Secret was read. Values of environment variables, and what looks like a password or token, are replaced.',
    'Look through it before you hand it on: names of namespaces, hosts and addresses are in it.',
    '',
    missing.length === 0 ? 'Nothing is missing.' : 'Not in it:',
    ...missing.map((what) => `- ${what}`),
  ].join('\n');
}

interface Bundle {
  readonly files: readonly ArchiveFile[];
  readonly missing: readonly string[];
  /** Adds a file. If `make` fails, the file is listed as missing, and the rest goes on. */
  add(name: string, make: () => Promise<string>): Promise<void>;
  miss(what: string): void;
}

function createBundle(): Bundle {
  const files: ArchiveFile[] = [];
  const missing: string[] = [];
  let total = 0;
  return {
    files,
    missing,
    miss: (what) => void missing.push(redactText(harmless(what))),
    async add(name, make) {
      try {
        const text = redactText(await make());
        const all = Buffer.from(`${text}\n`);
        const bytes = all.subarray(0, Math.min(MAX_FILE_BYTES, MAX_REPORT_BYTES - total));
        if (bytes.length < all.length)
          missing.push(`${name}: the end of it (${all.length - bytes.length} bytes too many)`);
        total += bytes.length;
        files.push({ name, bytes });
      } catch (error) {
        missing.push(redactText(harmless(`${name}: ${failureOf(error).message}`)));
      }
    },
  };
}
