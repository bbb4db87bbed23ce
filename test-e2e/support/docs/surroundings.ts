// What a page finds before its first command: a testbed, the programs of its reader on the PATH, and a folder that looks like a checkout.
//
// Words of `<!-- story: … -->`, separated by commas:
//   members process       a process per member, which keeps data and can be frozen; needed wherever a node is removed
//   members hollow        members without data, cheap; the default
//   speed 3               divides the timers of members, probes and back-off; default 10. The operator's own times are real
//   cluster demo of 3     a cluster of config/samples/small.yaml with this name and size, Healthy before the first command
//   nothing installed     no kinds, no permissions, no namespace marekvs-system and no operator: the page installs them
//   no operator           kinds and permissions are there, the operator is not

import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { obtainHelm, projectRoot, startTestbed, type TestbedOptions } from '@marekvs/testbed';
import { createKubectl } from '../kubectl.ts';
import { plainSpec } from '../specs.ts';
import { type World, worldOf } from '../world.ts';
import type { Page } from './page.ts';

const run = promisify(execFile);
const LIMIT_MS = 60_000;
/** What a page's commands name of this repository. */
const OF_THE_CHECKOUT = ['config', 'crds', 'node_modules', 'package.json', 'packages'];

export interface Setting {
  readonly options: TestbedOptions;
  readonly clusters: readonly { readonly name: string; readonly nodes: number }[];
  readonly isBare: boolean;
}

export interface Surroundings {
  readonly world: World;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Beside the folder, for what the reader shall not see. */
  readonly backstage: string;
  has(program: string): Promise<boolean>;
  close(): Promise<void>;
}

/** @throws Error for a word it does not know */
export function settingOf(story: readonly string[]): Setting {
  let options: TestbedOptions = { runner: 'hollow', speed: 10, operator: true };
  let isBare = false;
  const clusters: { name: string; nodes: number }[] = [];
  for (const word of story) {
    const [, name, nodes] = /^cluster ([a-z0-9-]+) of (\d+)$/.exec(word) ?? [];
    const speed = /^speed (\d+)$/.exec(word)?.[1];
    if (name !== undefined) clusters.push({ name, nodes: Number(nodes) });
    else if (speed !== undefined) options = { ...options, speed: Number(speed) };
    else if (word === 'members process') options = { ...options, runner: 'process' };
    else if (word === 'members hollow') options = { ...options, runner: 'hollow' };
    else if (word === 'no operator') options = { ...options, operator: false };
    else if (word === 'nothing installed') {
      options = { ...options, operator: false, crds: false, rbac: false };
      isBare = true;
    } else throw new Error(`a story knows no "${word}"`);
  }
  return { options, clusters, isBare };
}

export async function surround({ story, parts }: Page): Promise<Surroundings> {
  const { options, clusters, isBare } = settingOf(story);
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
      }),
    ]);
    const path = [programs, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
    const env = { PATH: path, HOME: backstage, KUBECONFIG: testbed.kubeconfigs.admin, LANG: 'C.UTF-8', TERM: 'dumb' };
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

async function placePlugin(folder: string): Promise<void> {
  const script = join(projectRoot, 'packages', 'cli', 'bundle.ts');
  const bundle = join(folder, 'bundle.cjs');
  await run(process.execPath, ['--conditions=development', script, bundle], { timeout: LIMIT_MS });
  await copyFile(bundle, join(folder, 'kubectl-mkv'));
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
