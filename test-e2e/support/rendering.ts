// What kubectl renders from a folder of config/ and what Helm renders from the chart, in one form: objects by kind,
// namespace and name.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KUBERNETES_VERSION, projectRoot, stretched } from '@marekvs/testbed';
import { loadAll } from 'js-yaml';

const run = promisify(execFile);
const LIMIT_MS = 60_000;
const MOST_BYTES = 16 * 1024 * 1024;
export const CHART = join(projectRoot, 'config', 'chart');
export const RELEASE = 'marekvs-operator';

export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export type Objects = ReadonlyMap<string, Rendered>;

/** `kubectl kustomize` of a folder, relative to the project. */
export async function kustomize(kubectl: string, folder: string): Promise<Objects> {
  return objectsOf(await kustomizeText(kubectl, join(projectRoot, folder)));
}

export async function kustomizeText(kubectl: string, folder: string): Promise<string> {
  return output(kubectl, ['kustomize', folder]);
}

export interface ChartSettings {
  readonly namespace?: string;
  /** Names of values files in the chart's folder: `ha`. */
  readonly profile?: string;
  /** Values of `--set`. */
  readonly set?: readonly string[];
  readonly chart?: string;
}

export async function helmTemplate(helm: string, settings: ChartSettings = {}): Promise<Objects> {
  // Without a cluster, a Helm that was built by hand assumes an old Kubernetes version.
  const version = ['--kube-version', KUBERNETES_VERSION];
  return objectsOf(await output(helm, ['template', RELEASE, ...chartArguments(settings), ...version]));
}

/** The arguments for the chart and its values, for install, upgrade and template. */
export function chartArguments({ namespace, profile, set = [], chart = CHART }: ChartSettings): readonly string[] {
  return [
    chart,
    '--namespace',
    namespace ?? 'marekvs-system',
    ...(profile === undefined ? [] : ['--values', join(chart, `values-${profile}.yaml`)]),
    ...set.flatMap((one) => ['--set', one]),
  ];
}

/** @throws Error for an object that is there twice */
export function objectsOf(text: string): Objects {
  const objects = new Map<string, Rendered>();
  for (const object of loadAll(text) as readonly (Rendered | null | undefined)[]) {
    if (object === null || object === undefined) continue;
    const key = `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    if (objects.has(key)) throw new Error(`${key} is there twice`);
    objects.set(key, object);
  }
  return objects;
}

/** The annotation that makes an uninstall keep the kinds, which only objects of Helm have. */
export function withoutHelmsOwn(object: Rendered): Rendered {
  const { annotations, ...metadata } = object.metadata;
  const { 'helm.sh/resource-policy': _, ...others } = annotations ?? {};
  return Object.keys(others).length === 0
    ? { ...object, metadata }
    : { ...object, metadata: { ...metadata, annotations: others } };
}

async function output(program: string, args: readonly string[]): Promise<string> {
  // Without the kubeconfig, plugins and repositories of the person who runs the tests.
  const options = {
    timeout: stretched(LIMIT_MS),
    maxBuffer: MOST_BYTES,
    env: { PATH: process.env.PATH, HOME: '/nonexistent' },
  };
  const { stdout, stderr } = await run(program, [...args], options);
  if (stderr !== '') throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}
