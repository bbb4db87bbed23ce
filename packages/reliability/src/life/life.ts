// One life of one seed: the scenario, its fate and its end. Reports are plain data, sent from process to process.

import { seededRandom } from '@marekvs/simulator';
import { Fate, type Fault } from '../fate/fate.ts';
import { MemberWorld } from '../world/member-world.ts';
import { close, watchVolumes } from './closing.ts';
import type { Scenario } from './scenario.ts';

export interface LifeReport {
  readonly scenario: string;
  readonly seed: number;
  /** Number of MarekvsNodes that went. */
  readonly removals: number;
  /** Events of the world. */
  readonly steps: number;
  readonly virtualSeconds: number;
  /** Writes acknowledged to clients. */
  readonly acknowledged: number;
  /** Operators' writes from the beginning of the story until rest. */
  readonly writes: number;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** What went wrong, with the last lines of the transcript; undefined when nothing did. */
  readonly violation: string | undefined;
}

export interface Life {
  readonly report: LifeReport;
  readonly world: MemberWorld;
  readonly fate: Fate;
}

/** @param disturb called when the story begins */
export async function live(
  scenario: Scenario,
  seed: number,
  disturb: (world: MemberWorld, fate: Fate) => void = () => {},
): Promise<Life> {
  const world = new MemberWorld({ seed, hosts: 8 });
  let writesBefore = 0;
  const fate = new Fate({
    world,
    random: seededRandom(fateSeed(seed)),
    onBegin() {
      writesBefore = world.writes.length;
      watchVolumes(world);
      disturb(world, fate);
    },
  });
  const violation = await violationOf(async () => close(world, fate, await scenario.run(world, fate)), world);
  const report: LifeReport = {
    scenario: scenario.name,
    seed,
    removals: world.removals,
    steps: world.kube.loop.steps,
    virtualSeconds: Math.round(world.nowMs / 1_000),
    acknowledged: world.kube.ledger.acknowledged,
    writes: (fate.writesBeforeRest ?? world.writes.length) - writesBefore,
    faults: Object.fromEntries(fate.faults),
    violation,
  };
  return { report, world, fate };
}

/** Spreads neighbouring seeds, so that their fates are unrelated. */
function fateSeed(seed: number): number {
  return Math.imul(seed + 1, 0x9e37_79b1);
}

const MAX_VIOLATION = 20_000;

async function violationOf(run: () => Promise<void>, world: MemberWorld): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const where = error instanceof Error && !(error.name === 'InvariantError') ? `\n${error.stack ?? ''}` : '';
    const text = message.includes('\n')
      ? message
      : `${message}${where}\n${world.kube.transcript.tail()}\n${world.describe()}`;
    return text.slice(0, MAX_VIOLATION);
  }
}
