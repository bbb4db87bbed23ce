// The CustomResourceDefinitions of the Prometheus operator, from its Go module: what config/components/monitoring has
// to satisfy on a real cluster.

import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestbedError } from '../errors.ts';
import { findGo } from './go.ts';

const MODULE = fileURLToPath(new URL('../../monitoring-kinds/', import.meta.url));
const KINDS = ['podmonitors', 'prometheusrules', 'servicemonitors'];
const DOWNLOAD_LIMIT_MS = 60_000;

/** The kinds are not available here: no Go, or no access to its modules. */
export class NoMonitoringKindsError extends TestbedError {}

/** Files with the kinds config/components/monitoring uses. The module's checksum is in go.sum.
 *  @throws NoMonitoringKindsError with the reason */
export async function obtainMonitoringKinds(): Promise<readonly string[]> {
  const go = await findGo(MODULE);
  if (go === undefined) throw new NoMonitoringKindsError('no Go compiler on the PATH');
  try {
    const env = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off' };
    const { stdout } = await promisify(execFile)(go, ['mod', 'download', '-json'], {
      cwd: MODULE,
      timeout: DOWNLOAD_LIMIT_MS,
      env,
    });
    const { Dir: folder } = JSON.parse(stdout) as { readonly Dir: string };
    const crds = join(folder, 'example', 'prometheus-operator-crd');
    const files = (await readdir(crds)).filter((name) => KINDS.some((kind) => name.endsWith(`_${kind}.yaml`)));
    return files.map((name) => join(crds, name));
  } catch (cause) {
    const [line] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw new NoMonitoringKindsError(`the kinds of the Prometheus operator cannot be had: ${line}`, { cause });
  }
}
