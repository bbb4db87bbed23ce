// Where the version is written besides package.json and lerna.json, and what a changelog says of one version. Pure.

export interface VersionPlace {
  /** From the project's folder. */
  readonly path: string;
  /** Finds the version by what is before and after it. */
  readonly pattern: RegExp;
}

/** All that is generated follows from these and from lerna.json. */
export const VERSION_PLACES: readonly VersionPlace[] = [
  { path: 'packages/cli/src/connection/version.ts', pattern: /(?<=^export const VERSION = ')[^']+(?=';$)/gm },
  { path: 'config/base/manager/kustomization.yaml', pattern: /(?<=^ +newTag: )\S+$/gm },
  { path: 'config/chart/Chart.yaml', pattern: /(?<=^version: )\S+$/gm },
  { path: 'config/chart/Chart.yaml', pattern: /(?<=^appVersion: )\S+$/gm },
  { path: 'Dockerfile', pattern: /(?<=^# +docker build -t marekvs-operator:)\S+(?= --build-arg)/gm },
];

/** @throws Error when the text does not name a version exactly once: then the place has changed its form */
export function withVersion(text: string, { path, pattern }: VersionPlace, version: string): string {
  const count = text.match(pattern)?.length ?? 0;
  if (count !== 1) throw new Error(`write the version into ${path}: found ${count} places for it, not one`);
  return text.replace(pattern, version);
}

/** The part of a changelog about one version, as lerna writes it: `# [1.2.0](link) (date)`, `## 1.2.1 (date)`.
 *  @returns undefined when it says nothing of that version */
export function changelogOf(text: string, version: string): string | undefined {
  const lines = text.split('\n');
  const heading = /^##? \[?(\d+\.\d+\.\d+[^\]\s]*)\]?/;
  const start = lines.findIndex((line) => heading.exec(line)?.[1] === version);
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => heading.test(line));
  const end = length < 0 ? lines.length : start + 1 + length;
  return lines.slice(start, end).join('\n').trim();
}
