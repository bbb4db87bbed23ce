// The operator's StoreClient over the in-memory driver: members are found by IP, time limits run on the virtual clock.
// Answers pass through the same parsers as real ones. Promises settle only while the clock is being advanced.

import {
  type CallOptions,
  GLANCE,
  isMemberMetric,
  type MemberAddress,
  type Outcome,
  parseClusterInfo,
  parseClusterNodes,
  parseMetricsText,
  RespErrorReply,
  type RespValue,
  readGlance,
  readMetrics,
  StoreAuthError,
  type StoreClient,
  type StoreClientOptions,
  StoreError,
  StoreProtocolError,
  StoreUnreachableError,
} from '@marekvs/store-client';
import { ConnectionRefusedError } from '../member/basics/errors.ts';
import type { HttpAnswer } from '../member/http/http-answers.ts';
import type { MemberNetwork } from './member-network.ts';
import { decoded, exchangeOver, oncePerText } from './network-exchange.ts';

const defaultTimeoutMs = 3_000;

export interface NetworkStoreOptions extends StoreClientOptions {
  /** Called whenever a promise that had to wait settles, for callers that let promises run between two events. */
  readonly onSettled?: () => void;
}

/** Throws what the real client throws. `timeoutMs` is virtual; passwords and abort signals are honoured. */
export function createNetworkStoreClient(network: MemberNetwork, defaults: NetworkStoreOptions = {}): StoreClient {
  const { onSettled } = defaults;
  const limitOf = (options: CallOptions) => options.timeoutMs ?? defaults.timeoutMs ?? defaultTimeoutMs;
  const get = (address: MemberAddress, target: string, options: CallOptions = {}) =>
    request(network, address, target, limitOf(options), { signal: options.signal, onSettled });
  const askAll = (address: MemberAddress, list: readonly (readonly string[])[], options: CallOptions = {}) => {
    const { signal, onGuarded } = options;
    return commands(network, address, list, limitOf(options), { signal, onSettled, onGuarded });
  };
  const ask = async (address: MemberAddress, words: readonly string[], options?: CallOptions) => {
    const [reply] = await askAll(address, [words], options);
    if (reply instanceof RespErrorReply) throw new StoreProtocolError(reply.message, { tried: words.join(' ') });
    return reply ?? null;
  };
  const text = async (address: MemberAddress, words: readonly string[], options?: CallOptions) =>
    bulk(await ask(address, words, options), words.join(' '));
  const client: StoreClient = {
    async drain(address, options) {
      await get(address, '/drain', options);
    },
    async metrics(address, options) {
      const answer = await get(address, '/metrics', options);
      if (answer.status !== 200) throw unexpected(answer, '/metrics');
      const { samples } = answer;
      return samples === undefined ? parseMetricsText(answer.body) : readMetrics((take) => samples.forEach(take));
    },
    nodes: async (address, options) => parseNodes(await text(address, ['CLUSTER', 'NODES'], options)),
    clusterInfo: async (address, options) => parseClusterInfo(await text(address, ['CLUSTER', 'INFO'], options)),
    glance: async (address, options) =>
      readGlance((await askAll(address, GLANCE, options)).map((reply) => bulk(reply, 'a glance'))),
    async poll(address, options) {
      const view = async () => ({
        info: await client.clusterInfo(address, options),
        nodes: await client.nodes(address, options),
      });
      const [metrics, seen] = await Promise.all([outcome(client.metrics(address, options)), outcome(view())]);
      return { metrics, view: seen };
    },
    async session(address, options = {}) {
      await ask(address, ['PING'], options);
      return {
        commands: (list, each = {}) =>
          commands(network, address, list.map(asText), limitOf(each), { signal: each.signal, onSettled }),
        close: () => undefined,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
  };
  return client;
}

function bulk(reply: RespValue, tried: string): Uint8Array {
  if (!(reply instanceof Uint8Array)) throw new StoreProtocolError('want a bulk string', { tried });
  return reply;
}

const parseNodes = oncePerReply(parseClusterNodes);
const asValue = oncePerText(decoded);

/** Equal replies arrive as the same value (network-exchange.ts), which is parsed once. */
function oncePerReply<R extends RespValue, T>(parse: (reply: R) => T): (reply: R) => T {
  const known = new WeakMap<object, T>();
  return (reply) => {
    if (typeof reply !== 'object' || reply === null) return parse(reply);
    let parsed = known.get(reply);
    if (parsed === undefined) {
      parsed = parse(reply);
      known.set(reply, parsed);
    }
    return parsed;
  };
}

async function outcome<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'answered', value: await work };
  } catch (error) {
    if (error instanceof StoreError) return { kind: 'failed', error };
    throw error;
  }
}

/** How a waiting call is cancelled, and the listeners for its end. */
interface Waiting {
  readonly signal: AbortSignal | undefined;
  readonly onSettled: (() => void) | undefined;
  readonly onGuarded?: (() => void) | undefined;
}

function request(
  network: MemberNetwork,
  address: MemberAddress,
  target: string,
  timeoutMs: number,
  { signal, onSettled }: Waiting,
): Promise<HttpAnswer> {
  const place = { address: `${address.host}:9121`, tried: `GET ${target}` };
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const name = network.nameAt(address.host);
    if (name === undefined) throw new StoreUnreachableError('refused', 'nothing listens there', place);
    // Metrics arrive as values; text and scanner have their own tests.
    const answer = network.http(name, target, isMemberMetric);
    if (answer !== undefined) {
      resolve(answer);
      return;
    }
    // One signal serves all questions of a run; listeners left on it would slow down each later question.
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    network.clock.after(timeoutMs, () => {
      signal?.removeEventListener('abort', onAbort);
      reject(new StoreUnreachableError('timeout', 'no answer', place));
      onSettled?.();
    });
  });
}

async function commands(
  network: MemberNetwork,
  address: MemberAddress,
  list: readonly (readonly string[])[],
  timeoutMs: number,
  waiting: Waiting,
): Promise<readonly RespValue[]> {
  const place = { address: `${address.host}:6379`, tried: list[0]?.slice(0, 2).join(' ') ?? '' };
  const { password = '' } = address;
  const opening = password === '' ? [] : [['AUTH', password]];
  const name = network.nameAt(address.host);
  if (name === undefined) throw new StoreUnreachableError('refused', 'nothing listens there', place);
  try {
    const replies = await exchangeOver(network, name, [...opening, ...list], asValue, timeoutMs, waiting);
    for (const reply of replies) {
      if (!(reply instanceof RespErrorReply)) continue;
      if (reply.code === 'WRONGPASS') throw new StoreAuthError('wrongPassword', place);
      if (reply.code === 'NOAUTH') throw new StoreAuthError('passwordRequired', place);
    }
    if (opening.length > 0 && replies[0] === 'OK') waiting.onGuarded?.();
    return replies.slice(opening.length);
  } catch (error) {
    if (!(error instanceof ConnectionRefusedError)) throw error;
    throw new StoreUnreachableError('refused', 'nothing listens there', { ...place, cause: error });
  }
}

function unexpected(answer: HttpAnswer, target: string): StoreProtocolError {
  return new StoreProtocolError(`unexpected status ${answer.status}`, { tried: `GET ${target}` });
}

/** Thousands of keys and values are text already. */
function asText(words: readonly (string | Uint8Array)[]): readonly string[] {
  return isText(words) ? words : words.map((word) => (typeof word === 'string' ? word : latin1(word)));
}

function isText(words: readonly (string | Uint8Array)[]): words is readonly string[] {
  return words.every((word) => typeof word === 'string');
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
