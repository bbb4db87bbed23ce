// values.yaml, values.schema.json and the values of the profiles, made from the list of values. Pure but for reading the source.

import { stringify } from 'yaml';
import { defaultOf, defaultText } from './defaults.ts';
import { isOnByDefault, type Profile, profileValues } from './profiles.ts';
import type { Source } from './source.ts';
import { TOGGLES, VALUES } from './values.ts';

const HEADER = '# Generated from config/ by npm run generate. Do not edit: give your own values with --set or -f.\n';
const WIDTH = 110;

export interface Row {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  /** Of several lines, as it stands in config/. */
  readonly text?: string;
}

/** Every value of this chart in the order of the list, what switches folders on last. A folder that is not there has none. */
export function rows(source: Source): readonly Row[] {
  const present = TOGGLES.filter(({ folder }) => source.files(folder).length > 0);
  const isPresent = (name: string) => {
    const toggle = TOGGLES.find((one) => name.startsWith(`${one.name}.`));
    return toggle === undefined || present.includes(toggle);
  };
  const values = VALUES.filter(({ name }) => isPresent(name)).map(({ name, description, schema }): Row => {
    const text = defaultText(source, name);
    return { name, description, schema, value: defaultOf(source, name), ...(text === undefined ? {} : { text }) };
  });
  const switches = present.map(({ name, folder, description }): Row => {
    return { name: `${name}.enabled`, description, schema: { type: 'boolean' }, value: isOnByDefault(source, folder) };
  });
  const isOfFolder = ({ name }: Row) => present.some((toggle) => name.startsWith(`${toggle.name}.`));
  return [
    ...values.filter((row) => !isOfFolder(row)),
    ...switches.flatMap((row) => [row, ...values.filter(({ name }) => groupOf(name) === groupOf(row.name))]),
  ];
}

export function valuesYaml(all: readonly Row[]): string {
  const lines: string[] = [];
  let group: string | undefined;
  for (const row of all) {
    const [first = '', second] = row.name.split('.');
    if (second === undefined) lines.push('');
    else if (first !== group) lines.push('', `${first}:`);
    group = second === undefined ? undefined : first;
    const pad = second === undefined ? '' : '  ';
    lines.push(...comment(row.description, pad), ...entry(second ?? first, row, pad));
  }
  return `${HEADER}${lines.join('\n')}\n`;
}

export function valuesSchema(all: readonly Row[]): string {
  const properties: Record<string, unknown> = {
    // Helm gives it to every chart that is part of another.
    global: { type: 'object' },
  };
  for (const { name, description, schema, value } of all) {
    const [first = '', second] = name.split('.');
    const own = { description, ...schema, default: value };
    if (second === undefined) properties[first] = own;
    else properties[first] = withProperty(properties[first], second, own);
  }
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart marekvs-operator',
    type: 'object',
    properties,
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

export function profileYaml(source: Source, { name, folder, description }: Profile): string {
  const tree: Record<string, unknown> = {};
  for (const [path, value] of profileValues(source, folder)) {
    const [first = '', second] = path.split('.');
    tree[first] = second === undefined ? value : { ...asRecord(tree[first]), [second]: value };
  }
  const head = `# Generated from ${folder} by npm run generate. Do not edit.\n${comment(description, '').join('\n')}\n`;
  return `${head}#   helm install marekvs-operator config/chart -n marekvs-system --create-namespace -f config/chart/values-${name}.yaml\n${stringify(tree)}`;
}

function entry(key: string, { text, value }: Row, pad: string): readonly string[] {
  if (text === undefined) return [`${pad}${key}: ${stringify(value).trimEnd()}`];
  return [`${pad}${key}:`, ...text.split('\n').map((line) => (line === '' ? '' : `${pad}  ${line}`))];
}

function comment(text: string, pad: string): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && pad.length + last.length + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line) => `${pad}# ${line}`);
}

function withProperty(parent: unknown, name: string, schema: unknown) {
  const { properties } = asRecord(parent);
  return { type: 'object', properties: { ...asRecord(properties), [name]: schema }, additionalProperties: false };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function groupOf(name: string): string {
  return name.split('.')[0] ?? '';
}
