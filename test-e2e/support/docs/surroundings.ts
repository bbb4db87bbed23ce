// What a page finds before its first command: a testbed, the programs of its reader on the PATH, and a folder that
// looks like a checkout.
//
// Words of `<!-- story: … -->`, separated by commas:
//   members hosted        simulated members, which keep data and can be frozen; needed wherever a node is removed
//   members hollow        members without data, cheap; the default
//   speed 3               divides the timers of members, probes and back-off, not the operator's own; default 10
//   cluster demo of 3     config/samples/small.yaml with this name and size, Healthy before the first command
//   StatefulSet demo of 3 a cluster as the existing operator runs it, its Pods ready; our operator does not run
//   nothing installed     no kinds, no permissions, no namespace marekvs-system and no operator: the page installs them
//   no operator           kinds and permissions are installed, the operator does not run

import { constants } from 'node:fs';
import { access, copyFile, mkdir, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { obtainHelm, pluginProgram, projectRoot, startTestbed, type TestbedOptions } from '@marekvs/testbed';
import { applyAsExistingOperator } from '../existing-operator.ts';
import { createKubectl } from '../kubectl.ts';
import { isPodReady, type PodSeen } from '../seen.ts';
import { contentsCompared, nodesSettled } from '../settled.ts';
import { plainSpec } from '../specs.ts';
import { type World, worldOf } from '../world.ts';
import type { Page } from './page.ts';

const LIMIT_MS = 60_000;
/** The folders of this repository that commands of pages name. */
const OF_THE_CHECKOUT = ['config', 'crds', 'node_modules', 'package.json', 'packages'];

interface ClusterWanted {
  readonly name: string;
  readonly nodes: number;
}

export interface Setting {
  readonly options: TestbedOptions;
  readonly clusters: readonly ClusterWanted[];
  /** Run by the existing operator. */
  readonly statefulSets: readonly ClusterWanted[];
  readonly isBare: boolean;
}

export interface Surroundings {
  readonly world: World;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Beside the folder, for files that the reader should not see. */
  readonly backstage: string;
  has(program: string): Promise<boolean>;
  close(): Promise<void>;
}

/** @throws Error for a word it does not know */
export function settingOf(story: readonly string[]): Setting {
  let options: TestbedOptions = { runner: 'hollow', speed: 10, operator: true };
  let isBare = false;
  const clusters: ClusterWanted[] = [];
  const statefulSets: ClusterWanted[] = [];
  for (const word of story) {
    const [, kind, name, nodes] = /^(cluster|StatefulSet) ([a-z0-9-]+) of (\d+)$/.exec(word) ?? [];
    const speed = /^speed (\d+)$/.exec(word)?.[1];
    if (name !== undefined) (kind === 'cluster' ? clusters : statefulSets).push({ name, nodes: Number(nodes) });
    else if (speed !== undefined) options = { ...options, speed: Number(speed) };
    else if (word === 'members hosted') options = { ...options, runner: 'hosted' };
    else if (word === 'members hollow') options = { ...options, runner: 'hollow' };
    else if (word === 'no operator') options = { ...options, operator: false };
    else if (word === 'nothing installed') {
      options = { ...options, operator: false, crds: false, rbac: false };
      isBare = true;
    } else throw new Error(`a story knows no "${word}"`);
  }
  if (statefulSets.length > 0) options = { ...options, operator: false };
  return { options, clusters, statefulSets, isBare };
}

export async function surround({ story, parts }: Page): Promise<Surroundings> {
  const { options, clusters, statefulSets, isBare } = settingOf(story);
  const typed = parts.flatMap((part) => (part.kind === 'command' ? part.text : []));
  const testbed = await startTestbed(options);
  try {
    const world = worldOf(testbed);
    const backstage = join(testbed.dir, 'backstage');
    const folder = join(testbed.dir, 'marekvs');
    const programs = join(backstage, 'bin');
    await mkdir(programs, { recursive: true });
    await mkdir(folder);
    await Promise.all([
      symlink(testbed.controlPlane.kubectlPath, join(programs, 'kubectl')),
      typed.some((text) => text.includes('kubectl mkv')) ? placePlugin(programs) : undefined,
      typed.some((text) => text.includes('helm ')) ? placeHelm(programs) : undefined,
      ...OF_THE_CHECKOUT.map((name) => symlink(join(projectRoot, name), join(folder, name))),
      isBare ? createKubectl(testbed)('delete', 'namespace', 'marekvs-system') : undefined,
      ...clusters.map(async ({ name, nodes }) => {
        await world.kube.createCluster('default', name, plainSpec(nodes));
        await world.kube.healthy('default', name, nodes, LIMIT_MS);
        await nodesSettled(world.kube, 'default', nodes);
        await contentsCompared(world.kube, 'default');
      }),
      ...statefulSets.map((wanted) => runAsExistingOperator(world, wanted)),
    ]);
    const path = [programs, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
    const env = {
      PATH: path,
      HOME: backstage,
      KUBECONFIG: testbed.kubeconfigs.admin,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      COLUMNS: '80',
    };
    return {
      world,
      folder,
      env,
      backstage,
      has: (program) => isOnPath(program, path),
      close: () => testbed.stop(),
    };
  } catch (error) {
    await testbed.stop();
    throw error;
  }
}

async function runAsExistingOperator(
  { kube, testbed, watching }: World,
  { name, nodes }: ClusterWanted,
): Promise<void> {
  const namespace = 'default';
  const spec = plainSpec(nodes);
  await kube.createCluster(namespace, name, spec);
  const { metadata } = await kube.clusterUntil(namespace, name, 'it is stored', () => true);
  await applyAsExistingOperator(testbed, {
    namespace,
    name,
    uid: metadata.uid,
    image: spec.image,
    nodes,
    claimTemplate: 'data',
  });
  await watching.pods(namespace, `${nodes} Pods of a StatefulSet`, (pods: readonly PodSeen[]) => {
    return pods.length === nodes && pods.every(isPodReady);
  });
}

async function placePlugin(folder: string): Promise<void> {
  await copyFile(await pluginProgram(join(folder, 'bundle.cjs')), join(folder, 'kubectl-mkv'));
}

async function placeHelm(folder: string): Promise<void> {
  const helm = await obtainHelm();
  if (helm.kind === 'here' && helm.path.includes('/')) await symlink(helm.path, join(folder, 'helm'));
}

async function isOnPath(program: string, path: string): Promise<boolean> {
  const found = path.split(delimiter).map((folder) =>
    access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    ),
  );
  return (await Promise.all(found)).includes(true);
}
