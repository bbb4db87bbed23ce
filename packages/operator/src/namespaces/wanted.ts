// Answers: which namespaces are to be managed now? Watches one ConfigMap in the operator's namespace and, if that has a
// selector, the matching Namespaces. An unreadable setting changes nothing: the wanted namespaces stay, and the problem
// is reported.

import {
  type Clock,
  type ConfigMap,
  configMaps,
  createChildAbort,
  createReflector,
  errorText,
  type Identified,
  type Logger,
  namespaces,
  type Reflector,
  type ReflectorProblem,
  type Transport,
} from '@marekvs/runtime';
import { identity } from '../objects/metadata.ts';
import { type NamespacesSetting, readSetting } from './setting.ts';

export interface NamespacesFrom {
  /** Namespace of the ConfigMap. */
  readonly namespace: string;
  readonly name: string;
}

export interface WantedNamespacesOptions {
  readonly from: NamespacesFrom;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called with all wanted namespaces, sorted, whenever they change. Not before the ConfigMap has been read. */
  readonly onWanted: (names: readonly string[]) => void;
  readonly onProblem: (problem: ReflectorProblem) => void;
  /** Something has been read, or could not be read. */
  readonly onCheck: () => void;
  readonly logger: Logger;
}

export interface WantedNamespaces {
  /** Why the setting is not fully in force; empty when it is. */
  problems(): readonly string[];
  /** Whether the setting was read, or found missing. Until then nothing is known. */
  readonly isRead: boolean;
  run(signal: AbortSignal): Promise<void>;
}

interface SettingView extends Identified {
  readonly setting: NamespacesSetting | undefined;
}

export function createWantedNamespaces(options: WantedNamespacesOptions): WantedNamespaces {
  const { from, transport, clock, random, onProblem, logger } = options;
  const subject = `ConfigMap ${from.namespace}/${from.name}`;
  let setting: NamespacesSetting | undefined;
  /** Why the present ConfigMap is not in force. */
  let unread: string | undefined = `${subject} has not been read yet`;
  let isFound = false;
  let isSelected = true;
  let selected: ReadonlySet<string> = new Set();
  let selectorProblem: string | undefined;
  let selecting: { readonly selector: string; readonly end: AbortController } | undefined;
  let last: string | undefined;
  let running: AbortSignal | undefined;

  function take(view: SettingView | undefined): void {
    isFound = true;
    if (view?.setting === undefined) {
      const why = view === undefined ? 'is not there' : 'has neither the key namespaces nor the key selector';
      unread = `${subject} ${why}: ${setting === undefined ? 'nothing is managed' : 'what it said before stays'}`;
      logger.warn('The setting of namespaces is not in force', { why: unread });
    } else {
      unread = undefined;
      setting = view.setting;
      for (const why of setting.problems) logger.warn('The setting of namespaces is not in force', { why });
      select(setting.selector);
      tell();
    }
    options.onCheck();
  }

  function select(selector: string | undefined): void {
    if (selecting?.selector === selector) return;
    selecting?.end.abort();
    selecting = undefined;
    selectorProblem = undefined;
    isSelected = true;
    if (selector === undefined) selected = new Set();
    else if (running !== undefined && !running.aborted) begin(selector, running);
  }

  /** The choice of the selector before stays until the new one is answered completely. */
  function begin(selector: string, signal: AbortSignal): void {
    const end = createChildAbort(signal);
    selecting = { selector, end };
    let isComplete = false;
    isSelected = false;
    const cache: Reflector<Identified> = createReflector({
      transport,
      clock,
      random,
      kind: namespaces,
      labelSelector: selector,
      project: identity,
      onChange: () => {
        if (isComplete) use(cache);
      },
      onProblem(problem) {
        selectorProblem = selectorProblemOf(problem, selector);
        isSelected = true;
        onProblem(problem);
        options.onCheck();
      },
      onRecovered() {
        selectorProblem = undefined;
      },
    });
    function use({ store }: Reflector<Identified>): void {
      if (end.signal.aborted) return;
      selected = new Set([...store.values()].map(({ name }) => name));
      tell();
    }
    void cache.synced.then(() => {
      isComplete = true;
      isSelected = true;
      use(cache);
      options.onCheck();
    });
    void cache.run(end.signal);
  }

  function tell(): void {
    const wanted = [...new Set([...(setting?.names ?? []), ...selected])].sort();
    const text = wanted.join();
    if (text === last) return;
    last = text;
    options.onWanted(wanted);
  }

  return {
    problems: () => [
      ...(unread === undefined ? [] : [unread]),
      ...(setting?.problems ?? []),
      ...(selectorProblem === undefined ? [] : [selectorProblem]),
    ],
    get isRead() {
      return isFound && isSelected;
    },
    async run(signal) {
      running = signal;
      const cache = createReflector({
        transport,
        clock,
        random,
        kind: configMaps,
        namespaces: [from.namespace],
        fieldSelector: `metadata.name=${from.name}`,
        project: (object: ConfigMap): SettingView => ({ ...identity(object), setting: readSetting(object.data) }),
        onChange: ({ current }) => take(current),
        onProblem(problem) {
          if (setting === undefined) unread = `${subject} cannot be read: ${textOf(problem.error)}`;
          onProblem(problem);
        },
      });
      void cache.synced.then(() => {
        if (cache.store.size === 0) take(undefined);
      });
      await cache.run(signal);
      selecting?.end.abort();
    },
  };
}

function selectorProblemOf({ kind, error }: ReflectorProblem, selector: string): string {
  if (kind === 'forbidden')
    return `selector ${selector}: Namespaces may not be read, see config/components/namespace-selector`;
  return `selector ${selector}: ${textOf(error)}`;
}

const MAX_TEXT = 200;

function textOf(error: unknown): string {
  return errorText(error).slice(0, MAX_TEXT);
}
