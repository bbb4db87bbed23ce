// The chart's templates: each file of config/ with the values put where their defaults stand. Pure but for reading the source.

import { basename } from 'node:path';
import { type FilesMap, type Source, type SourceFile, stem } from './source.ts';
import { DEPLOYMENT, TOGGLES, VALUES, type Value } from './values.ts';
import { type Edit, editYaml, type Path } from './yaml-text.ts';

export interface ChartFile {
  /** Relative to the chart's folder. */
  readonly path: string;
  readonly text: string;
}

/** The namespace that config/ names; in the chart it is that of the release. */
const NAMESPACE = 'marekvs-system';
const POD: Path = ['spec', 'template', 'spec'];
const CONTAINER: Path = [...POD, 'containers', 0];
const IMAGE =
  '"{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}"';

/** @throws Error when a place of the table above is not in its file */
export function chartTemplates(source: Source): readonly ChartFile[] {
  const rbac = source.files('config/rbac');
  return [
    ...rbac.filter(isWithinNamespace).map((file) => template(file, editsOf(file))),
    ...rbac.filter((file) => !isWithinNamespace(file)).map((file) => template(file, [], 'not .Values.watchNamespaces')),
    ...source.files('config/rbac-namespaced').map(perNamespace),
    ...source.files('config/manager').map((file) => template(file, editsOf(file))),
    ...TOGGLES.flatMap(({ name, folder }) => {
      const condition = `.Values.${name}.enabled`;
      return [
        ...source.files(folder).map((file) => template(file, editsOf(file), condition)),
        ...source.filesMaps(folder).flatMap((map) => filesTemplate(folder, map, condition)),
      ];
    }),
  ];
}

function isWithinNamespace({ text }: SourceFile): boolean {
  return !/^kind: ClusterRole/m.test(text);
}

function template(file: SourceFile, edits: readonly Edit[], condition?: string): ChartFile {
  const body = editYaml(file.text, edits, (part) => inReleaseNamespace(escapeBraces(part)));
  const text = condition === undefined ? body : `{{- if ${condition} }}\n${body}{{- end }}\n`;
  return { path: `templates/${templateName(file)}`, text: header(file) + text };
}

/** The Role and its binding once per namespace: the files name none. */
function perNamespace(file: SourceFile): ChartFile {
  const namespace: Edit = { kind: 'after', at: ['metadata', 'name'], lines: '  namespace: {{ tpl . $ | quote }}' };
  const { path, text } = template(file, [namespace]);
  const body = text.slice(header(file).length);
  return { path, text: `${header(file)}{{- range .Values.watchNamespaces }}\n---\n${body}{{- end }}\n` };
}

/** The ConfigMap and beside it its files, which Helm reads and does not take for templates. */
function filesTemplate(folder: string, { name, labels, files }: FilesMap, condition: string): readonly ChartFile[] {
  const short = folder.split('/').at(-1) ?? '';
  const placed = [...files].map(([key, { path, text }]) => ({ key, text, path: `files/${short}/${basename(path)}` }));
  const lines = [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    `  name: ${name}`,
    '  namespace: {{ $.Release.Namespace }}',
    '  labels:',
    ...Object.entries(labels).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`),
    'data:',
    ...placed.map(({ key, path }) => `  ${key}: {{ $.Files.Get ${JSON.stringify(path)} | toJson }}`),
  ];
  const head = header({ path: `${folder}/kustomization.yaml` });
  const text = `${head}{{- if ${condition} }}\n${lines.join('\n')}\n{{- end }}\n`;
  return [
    { path: `templates/${short}-${name}.yaml`, text },
    ...placed.map(({ path, text: content }) => ({ path, text: content })),
  ];
}

/** `manager-deployment.yaml`; of a folder outside of config/ just `crds-marekvsnodes.yaml`. */
function templateName(file: SourceFile): string {
  const folder = file.path.split('/').at(-2) ?? '';
  return `${folder}-${stem(file)}.yaml`;
}

function header({ path }: Pick<SourceFile, 'path'>): string {
  return `{{- /* Generated from ${path} by npm run generate. Do not edit. */ -}}\n`;
}

/** What looks like a template in the source is meant for somebody else: Prometheus, say. */
function escapeBraces(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

/** `$`, because it is also used where `.` is something else. Comments speak of config/ and stay. */
function inReleaseNamespace(text: string): string {
  return text.replace(new RegExp(`^\\s*#.*$|${NAMESPACE}`, 'gm'), (found) =>
    found === NAMESPACE ? '{{ $.Release.Namespace }}' : found,
  );
}

function editsOf(file: SourceFile): readonly Edit[] {
  const isCrd = /^kind: CustomResourceDefinition$/m.test(file.text);
  return [
    ...VALUES.filter(({ source }) => source?.file === file.path).map(placeOfValue),
    ...(isCrd ? [KEPT] : []),
    ...(INSERTIONS[file.path] ?? []),
  ];
}

/** A block is written out by toYaml at its own depth, a scalar stands in its line. */
function placeOfValue({ name, source, schema }: Value): Edit {
  const { at = [], prefix = '' } = source ?? {};
  if (name === 'image.repository') return { kind: 'replace', at, with: IMAGE };
  if (schema.type !== 'object' && schema.type !== 'array')
    return { kind: 'replace', at, with: `${prefix}{{ .Values.${name} }}` };
  // Every file indents by two, and a list below its key by two more. Behind a dash there is a space already.
  const space = typeof at.at(-1) === 'number' ? '' : ' ';
  return { kind: 'replace', at, with: `${space}{{- toYaml .Values.${name} | nindent ${2 * at.length} }}` };
}

const KEPT: Edit = {
  kind: 'after',
  at: ['metadata', 'name'],
  // Kept by Helm, or let go by our own policy: config/deletion-protection/kinds.yaml.
  lines: [
    '  annotations:',
    '    {{- if .Values.crds.keep }}',
    '    helm.sh/resource-policy: keep',
    '    {{- else }}',
    '    marekvs.io/delete-kind: "true"',
    '    {{- end }}',
  ].join('\n'),
};

/** What config/ has no place for because it is empty there. */
const INSERTIONS: Readonly<Record<string, readonly Edit[]>> = {
  [DEPLOYMENT]: [
    after(['spec', 'template', 'metadata', 'labels', 'app.kubernetes.io/part-of'], entries('podLabels', 8)),
    after(
      ['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/default-container'],
      entries('podAnnotations', 8),
    ),
    after(
      [...POD, 'terminationGracePeriodSeconds'],
      [
        ...field('priorityClassName', 6, '{{ . }}'),
        ...block('imagePullSecrets', 6),
        ...block('nodeSelector', 6),
        ...block('tolerations', 6),
        ...block('affinity', 6),
      ],
    ),
    after([...CONTAINER, 'args', 3], entries('extraArgs', 12)),
    {
      kind: 'before',
      at: [...CONTAINER, 'env', 0],
      lines: [
        '            {{- with .Values.watchNamespaces }}',
        '            - name: MAREKVS_OPERATOR_WATCH_NAMESPACES',
        '              value: {{ tpl (join "," .) $ | quote }}',
        '            {{- end }}',
      ].join('\n'),
    },
    after([...CONTAINER, 'env', 4], entries('extraEnv', 12)),
  ],
  'config/rbac/service-account.yaml': [
    after(['metadata', 'labels'], block('serviceAccountAnnotations', 2, 'annotations')),
  ],
};

function after(at: Path, lines: readonly string[]): Edit {
  return { kind: 'after', at, lines: lines.join('\n') };
}

/** Further entries of a map or list that is there. */
function entries(name: string, depth: number): readonly string[] {
  const pad = ' '.repeat(depth);
  return [`${pad}{{- with .Values.${name} }}`, `${pad}{{- toYaml . | nindent ${depth} }}`, `${pad}{{- end }}`];
}

function field(name: string, depth: number, value: string): readonly string[] {
  const pad = ' '.repeat(depth);
  return [`${pad}{{- with .Values.${name} }}`, `${pad}${name}: ${value}`, `${pad}{{- end }}`];
}

function block(name: string, depth: number, key = name): readonly string[] {
  const pad = ' '.repeat(depth);
  return [
    `${pad}{{- with .Values.${name} }}`,
    `${pad}${key}:`,
    `${pad}  {{- toYaml . | nindent ${depth + 2} }}`,
    `${pad}{{- end }}`,
  ];
}
