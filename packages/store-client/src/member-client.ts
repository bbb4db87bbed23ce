// The StoreClient on real sockets: how each question is sent, and which answers are accepted as a member's.

import { endpointOf, type MemberAddress } from './address.ts';
import { parseClusterInfo } from './cluster-info.ts';
import { maxBytesOfNodes, parseClusterNodes } from './cluster-nodes.ts';
import { Connection, callLimits } from './connection.ts';
import { StoreError, StoreProtocolError, withContext } from './errors.ts';
import { encodeGet, type HttpAnswer, HttpResponseReader } from './http-response.ts';
import { GLANCE, readGlance } from './member-glance.ts';
import { parseMetricsText } from './member-metrics.ts';
import { bulkOf, exchangeCommands } from './resp-exchange.ts';
import type { RespValue } from './resp-value.ts';
import type {
  CallOptions,
  MemberView,
  Outcome,
  StoreClient,
  StoreClientOptions,
  StoreCommand,
} from './store-client.ts';
import { openSession } from './store-session.ts';

const DEFAULT_TIMEOUT_MS = 3000;
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;
/** Forty times what a member prints. */
const MAX_METRICS_BYTES = 512 * 1024;
/** Of the short answers, which have half a kilobyte. */
const MAX_INFO_BYTES = 64 * 1024;
const decoder = new TextDecoder();

/** A client without state of its own: no pool, no cache, nothing to close.
 *  @throws RangeError for a time limit, cap or local address that is not valid */
export function createStoreClient(options: StoreClientOptions = {}): StoreClient {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, localAddress } = options;
  const limitsOf = callLimits({ timeoutMs, maxBytes, localAddress });

  /** One GET; `read` turns the answer into a value or throws a StoreError without context. */
  const get = async <T>(
    address: MemberAddress,
    path: string,
    call: CallOptions | undefined,
    read: (answer: HttpAnswer) => T,
  ): Promise<T> => {
    const endpoint = endpointOf(address, 'metrics');
    const limits = limitsOf(call);
    const reader = new HttpResponseReader(Math.min(maxBytes, MAX_METRICS_BYTES));
    const connection = new Connection(endpoint, localAddress);
    try {
      const take = (chunk: Uint8Array): HttpAnswer | undefined => reader.push(chunk);
      return read(await connection.roundTrip(`GET ${path}`, encodeGet(path, endpoint.text), take, limits));
    } catch (error) {
      throw error instanceof StoreError ? withContext(error, { address: endpoint.text, tried: `GET ${path}` }) : error;
    } finally {
      connection.close();
    }
  };

  /** One or more commands in one connection; `read` as above. */
  const ask = async <T>(
    address: MemberAddress,
    commands: readonly StoreCommand[],
    call: CallOptions | undefined,
    read: (replies: readonly RespValue[]) => T,
    listBytes = 0,
  ): Promise<T> => {
    const endpoint = endpointOf(address, 'resp');
    const limits = { ...limitsOf(call), maxBytes: Math.min(maxBytes, MAX_INFO_BYTES + listBytes) };
    const tried = commands.map((command) => command.join(' ')).join(', ');
    const connection = new Connection(endpoint, localAddress);
    try {
      return read(await exchangeCommands(connection, tried, commands, limits, address.password, call?.onGuarded));
    } catch (error) {
      throw error instanceof StoreError ? withContext(error, { address: endpoint.text, tried }) : error;
    } finally {
      connection.close();
    }
  };

  const client: StoreClient = {
    drain: (address, call) => get(address, '/drain', call, readDrain),
    metrics: (address, call) => get(address, '/metrics', call, (answer) => parseMetricsText(okBody(answer))),
    nodes: (address, call) => {
      const read = ([nodes]: readonly RespValue[]) => parseClusterNodes(bulkOf(nodes), call?.maxMembers);
      return ask(address, [['CLUSTER', 'NODES']], call, read, maxBytesOfNodes(call?.maxMembers));
    },
    clusterInfo: (address, call) =>
      ask(address, [['CLUSTER', 'INFO']], call, ([info]) => parseClusterInfo(bulkOf(info))),
    glance: (address, call) => ask(address, GLANCE, call, (replies) => readGlance(replies.map(bulkOf))),
    poll: async (address, call) => {
      const [metrics, view] = await Promise.all([
        outcomeOf(client.metrics(address, call)),
        outcomeOf(
          ask(address, VIEW, call, (replies) => readView(replies, call?.maxMembers), maxBytesOfNodes(call?.maxMembers)),
        ),
      ]);
      return { metrics, view };
    },
    session: (address, call) => openSession(address, limitsOf, localAddress, call),
  };
  return client;
}

const VIEW: readonly StoreCommand[] = [
  ['CLUSTER', 'INFO'],
  ['CLUSTER', 'NODES'],
];

function readView([info, nodes]: readonly RespValue[], maxMembers: number | undefined): MemberView {
  return { nodes: parseClusterNodes(bulkOf(nodes), maxMembers), info: parseClusterInfo(bulkOf(info)) };
}

function readDrain(answer: HttpAnswer): void {
  if (answer.status !== 200 || bodyText(answer) !== 'draining') throw unexpected(answer);
}

function okBody(answer: HttpAnswer): Uint8Array {
  if (answer.status !== 200) throw unexpected(answer);
  return answer.body;
}

function bodyText(answer: HttpAnswer): string {
  return decoder.decode(answer.body.subarray(0, 256)).trimEnd();
}

function unexpected(answer: HttpAnswer): StoreProtocolError {
  return new StoreProtocolError(`answered ${answer.status} ${JSON.stringify(bodyText(answer).slice(0, 80))}`);
}

/** Turns a failure of the member into a value; an abort or an error of our own stays a rejection. */
async function outcomeOf<T>(answer: Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'answered', value: await answer };
  } catch (error) {
    if (error instanceof StoreError) return { kind: 'failed', error };
    throw error;
  }
}
