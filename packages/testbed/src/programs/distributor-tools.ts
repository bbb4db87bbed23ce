// The programs with which distributors check submissions, built with Go once per machine: those of krew, with its
// installer, and that of the Operator Lifecycle Manager. Only tests of what is shipped need them; on a machine without
// them, these tests are skipped.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../paths.ts';
import { BESIDE_TESTS } from './go.ts';
import { buildGoPrograms, type GoModule, type GoProgram, goMissing } from './go-build.ts';
import type { Report } from './obtain.ts';
import { withLock } from './obtain-here.ts';

export type DistributorTools =
  | {
      readonly kind: 'here';
      readonly validateKrewManifest: string;
      readonly krew: string;
      readonly operatorVerify: string;
    }
  | { readonly kind: 'missing'; readonly why: string };

/** Modules of their own, because each needs other versions of the same libraries. Versions are exact, because the proxy
 *  may not list them. */
const KREW: GoTools = {
  folder: 'krew',
  packages: ['krew', 'validate-krew-manifest'].map((name) => `sigs.k8s.io/krew/cmd/${name}`),
};
const OLM: GoTools = { folder: 'olm', packages: ['github.com/operator-framework/api/cmd/operator-verify'] };

interface GoTools {
  /** Beside src, with a go.mod. */
  readonly folder: string;
  readonly packages: readonly string[];
}

/** With empty Go caches; measured 0.6 GB. */
const NEEDED_BYTES = 1024 ** 3;
/** 30 s and 125 s of CPU when nothing of it is compiled (measured). */
const BUILD_LIMIT_MS = 10 * 60_000;

/** Never rejects for a machine that cannot build them. */
export async function obtainDistributorTools(report: Report = () => undefined): Promise<DistributorTools> {
  try {
    const [krew, validateKrewManifest] = await obtained(KREW, report);
    const [operatorVerify] = await obtained(OLM, report);
    if (krew === undefined || validateKrewManifest === undefined || operatorVerify === undefined)
      return { kind: 'missing', why: 'no Go compiler on the PATH' };
    return { kind: 'here', krew, validateKrewManifest, operatorVerify };
  } catch (err) {
    return { kind: 'missing', why: err instanceof Error ? err.message : String(err) };
  }
}

/** @returns their files; none without Go */
async function obtained({ folder: name, packages }: GoTools, report: Report): Promise<readonly string[]> {
  const module = { folder: fileURLToPath(new URL(`../../${name}/`, import.meta.url)), neededBytes: NEEDED_BYTES };
  const folder = join(cacheFolder(), name, fingerprint(module));
  const programs = packages.map(
    (one): GoProgram => ({ name: one.split('/').at(-1) ?? '', package: one, variables: [] }),
  );
  const files = programs.map((program) => join(folder, program.name));
  const areHere = (): boolean => files.every((file) => existsSync(file));
  if (areHere()) return files;
  if ((await goMissing()) !== undefined) return [];
  return withLock(folder, report, async () => {
    // The previous holder of the lock may have done the work.
    if (!areHere()) {
      const limits = { limitMs: BUILD_LIMIT_MS, niceness: BESIDE_TESTS };
      await buildGoPrograms({ ...module, ...limits }, folder, programs, report);
    }
    return files;
  });
}

/** Identifies versions and platform: another version is another program. */
function fingerprint({ folder }: Pick<GoModule, 'folder'>): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const name of ['go.mod', 'go.sum']) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
