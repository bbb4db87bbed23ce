// A change of spec that is first shown to a person field by field, as the API server would store it, then confirmed.

import type { MarekvsCluster } from '@marekvs/api';
import { type ClusterChange, patchCluster, tryCluster } from '../../changing/writes.ts';
import type { Run } from '../../connection/cli.ts';
import { failed, wrongUsage } from '../../connection/errors.ts';
import { differenceLines } from './screen.ts';
import { differences } from './template-spec.ts';

export interface ReviewOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export interface Review {
  readonly change: ClusterChange;
  /** Printed above the fields. */
  readonly title: string;
  /** Printed below the fields, before the confirmation. */
  readonly notes: readonly string[];
  /** What else the change has done, printed after it. */
  readonly done: readonly string[];
  /** `kubectl mkv rollout …`, which makes the change after a dry run. */
  readonly command: string;
  /** The command that prints the help of the verb. */
  readonly help: string;
}

/** @throws CliError when the API server refuses it, a person does not agree, or nobody can be asked */
export async function changeReviewed(
  run: Run,
  cluster: MarekvsCluster,
  { change, title, notes, done, command, help }: Review,
  { yes, dryRun }: ReviewOptions,
): Promise<void> {
  const { namespace, name } = cluster.metadata;
  const tried = await tryCluster(run, cluster, change);
  const found = differences({ spec: cluster.spec }, { spec: tried.spec });
  run.print([title, ...differenceLines(found, run.context()), ...notes]);
  if (dryRun === true) return run.print([`next: ${command}`]);
  if (yes !== true) await confirm(run, name, help);
  await patchCluster(run, cluster, change);
  run.print([`${name} is changed`, ...done, `next: kubectl mkv rollout status ${name} -n ${namespace} --watch`]);
}

async function confirm({ ports }: Run, name: string, help: string): Promise<void> {
  if (ports.ask === undefined) throw wrongUsage('--yes is needed where nobody can be asked', help);
  const answer = (await ports.ask(`Change ${name}? [y/N] `)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw failed('nothing was changed');
}
