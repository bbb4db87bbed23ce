// Answers: which namespaces does the ConfigMap ask for, by names and by labels, and which parts of it are invalid?
// Pure.

import { listed } from '@marekvs/api';

/** Keys of its data. */
export const NAMES_KEY = 'namespaces';
export const SELECTOR_KEY = 'selector';

export interface NamespacesSetting {
  readonly names: readonly string[];
  /** A label selector, as `kubectl get -l` takes it. */
  readonly selector: string | undefined;
  /** The parts that were left out, and why. */
  readonly problems: readonly string[];
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_SELECTOR_LENGTH = 2_000;
const MAX_SHOWN = 3;

/** Undefined when the ConfigMap has neither key: it is not meant to release every namespace. */
export function readSetting(data: Readonly<Record<string, string>> | undefined): NamespacesSetting | undefined {
  const listed = data?.[NAMES_KEY];
  const selector = data?.[SELECTOR_KEY]?.trim();
  if (listed === undefined && selector === undefined) return undefined;
  const words = [...new Set((listed ?? '').split(/[\s,]+/).filter((word) => word !== ''))];
  const odd = words.filter((word) => !LABEL.test(word));
  const isTooLong = (selector ?? '').length > MAX_SELECTOR_LENGTH;
  return {
    names: words.filter((word) => LABEL.test(word)),
    selector: selector === undefined || selector === '' || isTooLong ? undefined : selector,
    problems: [
      ...(odd.length === 0 ? [] : [`no names of namespaces: ${shown(odd)}`]),
      ...(isTooLong ? [`a selector of more than ${MAX_SELECTOR_LENGTH} characters is not read`] : []),
    ],
  };
}

function shown(words: readonly string[]): string {
  return listed(
    words.map((word) => JSON.stringify(word.slice(0, 70))),
    MAX_SHOWN,
  );
}
