// The control plane of one lane of journeys: started when the first file needs it, lent to one file after the other,
// wiped in between. After a file that died, changed what was there before, or left something that cannot be removed,
// the next file gets a new control plane.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyManifests } from '../control-plane/apply.ts';
import { type Slate, takeSlate } from '../control-plane/clean-slate.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { LENT_VARIABLE, lendControlPlane } from '../control-plane/lend.ts';
import type { ControlPlanePrograms } from '../programs/binaries.ts';
import { earlyManifests } from '../testbed/early-manifests.ts';

export interface Lane {
  /** @returns the environment for a process that may borrow it. `takeBack` has to be called before the next `lend`. */
  lend(): Promise<Readonly<Record<string, string>>>;
  /** @param hasDied the process may have left something running
   *  @returns why the control plane is not lent again; undefined when it is */
  takeBack(hasDied: boolean): Promise<string | undefined>;
  /** How many control planes were started. */
  started(): number;
  stop(): Promise<void>;
}

interface Running {
  readonly file: string;
  readonly slate: Slate;
  stop(): Promise<void>;
}

export function createLane(programs: ControlPlanePrograms): Lane {
  let running: Running | undefined;
  let count = 0;
  const stop = async (): Promise<void> => {
    const last = running;
    running = undefined;
    await last?.stop();
  };
  return {
    async lend() {
      if (running === undefined) {
        running = await start(programs);
        count += 1;
      }
      return { [LENT_VARIABLE]: running.file };
    },
    async takeBack(hasDied) {
      if (running === undefined) return undefined;
      const why = hasDied ? 'its file has died' : await running.slate.wipe().catch(String);
      if (why !== undefined) await stop();
      return why;
    },
    started: () => count,
    stop,
  };
}

async function start(programs: ControlPlanePrograms): Promise<Running> {
  const dir = await mkdtemp(join(tmpdir(), 'marekvs-lane-'));
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const early = await earlyManifests({}, programs.kubectl);
    const controlPlane = await startControlPlane({
      dir: join(dir, 'control-plane'),
      programs,
      beforeControllers: (client) => applyManifests(client, early),
    });
    const stop = async (): Promise<void> => {
      await controlPlane.stop();
      await remove();
    };
    try {
      const slate = await takeSlate(controlPlane.admin);
      const { file, close } = await lendControlPlane(controlPlane);
      return { file, slate, stop: () => close().then(stop) };
    } catch (err) {
      await controlPlane.stop();
      throw err;
    }
  } catch (err) {
    await remove();
    throw err;
  }
}
