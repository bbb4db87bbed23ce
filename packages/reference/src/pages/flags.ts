// The operator's flags and their environment variables.

import { OPTIONS } from '@marekvs/operator/reference';
import { code, page, table } from '../text/markdown.ts';

/** Read by Node itself; set in config/base/manager. */
const NODE_VARIABLES: readonly (readonly [string, string])[] = [
  ['NODE_OPTIONS', 'Heap limits of Node: the shipped value follows the memory limit of the container.'],
  ['NODE_COMPILE_CACHE', 'Where compiled code is kept between two starts of a container.'],
  ['KUBECONFIG', 'As for kubectl; used if no --kubeconfig is given and there is no service account.'],
];

export function flagsPage(): string {
  return page({
    title: 'Flags and environment of the operator',
    source: 'packages/operator/src/process/options.ts',
    blocks: [
      'A flag takes precedence over its environment variable. Times are written `500ms`, `15s` or `2m`.',
      table(
        ['flag', 'environment', 'default', 'meaning'],
        OPTIONS.map((option) => [
          code(option.flags),
          code(option.envVar ?? ''),
          code(shownDefault(option.defaultValueDescription, option.defaultValue)),
          option.argChoices === undefined
            ? option.description
            : `${option.description}; one of ${option.argChoices.map(code).join(', ')}`,
        ]),
      ),
      'Other environment variables:',
      table(
        ['environment', 'meaning'],
        NODE_VARIABLES.map(([name, meaning]) => [code(name), meaning]),
      ),
      'Exit codes: [errors.md](../errors.md#exit-codes).',
    ],
  });
}

function shownDefault(description: string | undefined, value: unknown): string {
  if (description !== undefined) return description;
  return value === undefined || value === '' ? '' : String(value);
}
