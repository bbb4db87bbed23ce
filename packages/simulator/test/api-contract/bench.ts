// The tools of a case of the API contract, the same for the API server in memory and for a real one: the runtime's
// client, and streams. A case records text in which identities and versions are ordinals, so that two servers can be
// compared.

import { ApiError, createClient, type Kind, type KubeClient, type KubeObject, type Transport } from '@marekvs/runtime';
import { Ordinals } from './facts.ts';
import { type Follow, openFollow } from './follow.ts';
import { namespaceObject } from './objects.ts';

/** One API server and how it is reached. */
export interface Driver {
  readonly transport: Transport;
  /** A version that is older than the changes which the server remembers. */
  forgottenVersion(): string;
  /** Settles like `work`, and moves the server's time meanwhile. */
  pass<T>(work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

export interface Bench {
  readonly client: KubeClient;
  readonly transport: Transport;
  /** A namespace for this case only, which exists when the case runs. */
  readonly namespace: string;
  readonly driver: Driver;
  /** An object as one line: identity, version, generation, mark of deletion, finalizers, and the fields at these
   *  paths. */
  line(object: KubeObject, ...paths: readonly string[]): string;
  /** How a write was answered: a line, `Success`, or the refusal. */
  answer(work: Promise<KubeObject | { readonly kind?: 'Status' }>, ...paths: readonly string[]): Promise<string>;
  /** Every change of a selection of this namespace after a version. */
  follow(kind: Kind<KubeObject>, selection: FollowSelection): Promise<Follow>;
  /** Every change of one object after the version that it has here. */
  followOne(kind: Kind<KubeObject>, object: KubeObject): Promise<Follow>;
}

export interface FollowSelection {
  /** Default: that of the case; `all` for all. */
  readonly namespace?: string;
  /** If it is undefined, the stream begins with the whole state. */
  readonly from?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly timeoutSeconds?: number;
}

/** One thing that has to be the same everywhere: what `run` records is `expected`. */
export interface Case {
  /** A fact about the server, which could be false. */
  readonly title: string;
  readonly expected: readonly string[];
  readonly run: (bench: Bench) => Promise<readonly string[]>;
}

/** Runs one case in a namespace of its own, which is left behind. */
export function runCase(driver: Driver, row: Case, namespace: string): Promise<readonly string[]> {
  return driver.pass(() => run(driver, row, namespace));
}

async function run(driver: Driver, row: Case, namespace: string): Promise<readonly string[]> {
  const { transport } = driver;
  const client = createClient(transport, { fieldValidation: 'Strict' });
  await client.create(...namespaceObject(namespace));
  const ordinals = new Ordinals();
  const open: Follow[] = [];
  const follow = async (kind: Kind<KubeObject>, selection: FollowSelection): Promise<Follow> => {
    const opened = await openFollow(transport, kind, { namespace, ...selection });
    open.push(opened);
    return opened;
  };
  const bench: Bench = {
    client,
    transport,
    namespace,
    driver,
    line: (object, ...paths) => ordinals.line(object, paths),
    answer: (work, ...paths) =>
      work.then(
        (answer) => ('metadata' in answer && answer.kind !== 'Status' ? ordinals.line(answer, paths) : 'Success'),
        refusal,
      ),
    follow,
    followOne: (kind, { metadata }) =>
      follow(kind, { from: metadata.resourceVersion, fieldSelector: `metadata.name=${metadata.name}` }),
  };
  try {
    return await row.run(bench);
  } finally {
    for (const one of open) one.stop();
  }
}

/** `409 Conflict`, with the fields or the reasons that a caller could act on. */
export function refusal(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  const { status, reason, causes } = error;
  const named = causes.map((cause) => (status === 422 ? cause.field : cause.reason) ?? '');
  return [status, reason, ...new Set(named.filter((name) => name !== ''))].join(' ');
}
