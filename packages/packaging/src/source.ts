// What config/ has, as kustomize would see it: which folders an installation consists of, and the files of each. Reads files, and
// refuses what it could not carry over into the chart rather than leave it out.

import { existsSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';

export interface SourceFile {
  /** Relative to the project: `config/manager/deployment.yaml`. */
  readonly path: string;
  readonly text: string;
}

export interface Source {
  readonly root: string;
  readonly version: string;
  /** The resource files of one folder and of those it takes in. Empty when there is no such folder. */
  files(folder: string): readonly SourceFile[];
  file(path: string): SourceFile;
  /** Every folder an installation takes resources from, itself included, relative to the project. */
  foldersOf(folder: string): ReadonlySet<string>;
  /** The strategic-merge patches in files that an installation makes, those of the folders it is built on included. */
  patchesOf(folder: string): readonly SourceFile[];
  kustomization(folder: string): Kustomization;
  /** The ConfigMaps one folder makes of files. Empty when there is no such folder. */
  filesMaps(folder: string): readonly FilesMap[];
}

/** A ConfigMap that kustomize makes of files. */
export interface FilesMap {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** By key. */
  readonly files: ReadonlyMap<string, SourceFile>;
}

export interface Kustomization {
  readonly resources: readonly string[];
  readonly patches: readonly { readonly path?: string }[];
  readonly configMapGenerator: readonly ConfigMapEntry[];
  readonly images: readonly { readonly name: string; readonly newTag?: string }[];
}

interface ConfigMapEntry {
  readonly name: string;
  readonly files: readonly string[];
  readonly options?: { readonly disableNameSuffixHash?: boolean; readonly labels?: Readonly<Record<string, string>> };
}

/** What a kustomization may say so that this module still understands all of it. */
const KNOWN_KEYS = ['apiVersion', 'kind', 'namespace', 'resources', 'patches', 'images', 'configMapGenerator'];

export function openSource(root: string): Source {
  function file(path: string): SourceFile {
    return { path, text: readFileSync(join(root, path), 'utf8') };
  }

  function kustomization(folder: string): Kustomization {
    const { path, text } = file(join(folder, 'kustomization.yaml'));
    const value: Partial<Kustomization> = parse(text);
    const unknown = Object.keys(value).filter((key) => !KNOWN_KEYS.includes(key));
    if (unknown.length > 0) throw new Error(`${path}: the chart cannot be made of ${unknown.join(', ')}`);
    const { resources = [], patches = [], images = [], configMapGenerator = [] } = value;
    return { resources, patches, images, configMapGenerator };
  }

  function parts(folder: string): { readonly folders: readonly string[]; readonly files: readonly SourceFile[] } {
    const paths = kustomization(folder).resources.map((name) => relative(root, join(root, folder, name)));
    return {
      folders: paths.filter((path) => !isYaml(path)),
      files: paths.filter(isYaml).map(file),
    };
  }

  function files(folder: string): readonly SourceFile[] {
    const own = parts(folder);
    return [...own.files, ...own.folders.flatMap(files)];
  }

  /** @throws Error for a name that would follow the content: a chart cannot name it */
  function filesMap(folder: string, { name, files: entries, options }: ConfigMapEntry): FilesMap {
    if (options?.disableNameSuffixHash !== true)
      throw new Error(`${folder}: the chart cannot be made of ${name} without disableNameSuffixHash`);
    const pairs = entries.map((entry): readonly [string, SourceFile] => {
      const [key = '', path = key] = entry.split('=');
      return [basename(key), file(join(folder, path))];
    });
    return { name, labels: options.labels ?? {}, files: new Map(pairs) };
  }

  function foldersOf(folder: string): ReadonlySet<string> {
    return new Set([folder, ...parts(folder).folders.flatMap((part) => [...foldersOf(part)])]);
  }

  return {
    root,
    version: String(parse(file('package.json').text).version ?? parse(file('lerna.json').text).version),
    file,
    kustomization,
    files: (folder) => (existsSync(join(root, folder)) ? files(folder) : []),
    foldersOf,
    filesMaps: (folder) =>
      existsSync(join(root, folder))
        ? kustomization(folder).configMapGenerator.map((entry) => filesMap(folder, entry))
        : [],
    patchesOf: (folder) =>
      [...foldersOf(folder)].flatMap((one) =>
        kustomization(one).patches.flatMap(({ path }) => (path === undefined ? [] : [file(join(one, path))])),
      ),
  };
}

/** `deployment` of `config/manager/deployment.yaml`. */
export function stem({ path }: SourceFile): string {
  return basename(path).replace(/\.ya?ml$/, '');
}

function isYaml(path: string): boolean {
  return /\.ya?ml$/.test(path);
}
