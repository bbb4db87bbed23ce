// Answers, at start: have the installed kinds every field of this version? An older one would refuse what this operator
// writes, or drop it. The served schema is public to everybody who may ask the API server at all (ClusterRole
// system:discovery), so this needs no permission in any scope.

import { API_VERSION, listed } from '@marekvs/api';
import { missingFrom, OUTLINES, outlineOf } from '@marekvs/api/installed-kinds';
import {
  type Clock,
  errorText,
  isNotFound,
  isPassing,
  type Logger,
  type Runnable,
  type Transport,
  unlessAborted,
  untilAborted,
} from '@marekvs/runtime';

const KINDS = ['MarekvsCluster', 'MarekvsNode'] as const;

/** By kind, the fields and values that the installed one lacks. */
export type MissingFields = Readonly<Record<(typeof KINDS)[number], readonly string[]>>;

export interface InstalledKinds extends Runnable {
  /** Undefined while that is not known. */
  missing(): MissingFields | undefined;
}

export interface InstalledKindsOptions {
  readonly transport: Pick<Transport, 'request'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Pauses between two questions, doubling, while a kind lacks something or the answer is missing. None afterwards: an
 *  installation at rest causes no request. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;
/** Fields that a message names. */
const NAMED = 5;
const MEND = 'apply the kinds of this version: kubectl apply -k config/crd';

export function createInstalledKinds({ transport, clock, logger }: InstalledKindsOptions): InstalledKinds {
  let missing: MissingFields | undefined;
  let said: string | undefined;
  const asked = Promise.withResolvers<void>();

  /** What two answers have said: the served schema follows an applied kind a moment later. */
  function logOnce(text: string | undefined): void {
    if (text === undefined || text === said) return;
    said = text;
    logger.error('The installed kinds are older than this operator', { why: text });
  }

  /** Asks until nothing is left to ask for. */
  async function askAll(signal: AbortSignal): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!(await ask(signal))) {
      asked.resolve();
      await clock.delay(pauseMs, signal);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
    asked.resolve();
  }

  /** Whether there is nothing left to ask for. */
  async function ask(signal: AbortSignal): Promise<boolean> {
    try {
      const before = textOf(missing);
      missing = missingIn(await served(transport, signal));
      const text = textOf(missing);
      if (text === before) logOnce(text);
      if (text === undefined && said !== undefined) logger.info('The installed kinds have every field now');
      return missing !== undefined && text === undefined;
    } catch (error) {
      signal.throwIfAborted();
      // Not found: the kinds are not installed yet, which their caches report.
      if (isNotFound(error) || isPassing(error)) return false;
      logger.warn('Cannot see whether the installed kinds have every field of this version', { why: errorText(error) });
      return true;
    }
  }

  return {
    name: 'kinds',
    async run(signal) {
      await askAll(signal).catch((error: unknown) => (signal.aborted ? undefined : Promise.reject(error)));
      // A part that ends by itself stops the process.
      await untilAborted(signal);
    },
    ready: (signal) => unlessAborted(asked.promise, signal),
    notReady: () => textOf(missing),
    missing: () => missing,
  };
}

interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, ServedSchema>> };
}

interface ServedSchema {
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly kind?: string }[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The served schemas of our group, by kind. */
async function served(
  transport: Pick<Transport, 'request'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ServedSchema>> {
  const answer = await transport.request<OpenApi>({
    verb: 'get',
    path: `/openapi/v3/apis/${API_VERSION}`,
    resource: 'openapi',
    subject: 'the served schemas',
    signal,
  });
  const entries = Object.values(answer.components?.schemas ?? {}).flatMap((schema) =>
    (schema['x-kubernetes-group-version-kind'] ?? []).map(({ kind = '' }): [string, ServedSchema] => [kind, schema]),
  );
  return new Map(entries);
}

/** Undefined while one of the kinds is not served yet. */
function missingIn(schemas: ReadonlyMap<string, ServedSchema>): MissingFields | undefined {
  const of = (kind: (typeof KINDS)[number]): readonly string[] | undefined => {
    const { spec, status } = schemas.get(kind)?.properties ?? {};
    return spec === undefined ? undefined : missingFrom(OUTLINES[kind], outlineOf({ properties: { spec, status } }));
  };
  const [MarekvsCluster, MarekvsNode] = [of('MarekvsCluster'), of('MarekvsNode')];
  return MarekvsCluster === undefined || MarekvsNode === undefined ? undefined : { MarekvsCluster, MarekvsNode };
}

/** Undefined when nothing is missing. */
function textOf(missing: MissingFields | undefined): string | undefined {
  const parts = KINDS.flatMap((kind) => {
    const fields = missing?.[kind] ?? [];
    if (fields.length === 0) return [];
    return [`${kind} lacks ${listed(fields, NAMED)}`];
  });
  return parts.length === 0 ? undefined : `${parts.join('; ')}: ${MEND}`;
}
