// The ContentClient on real sockets: resolves address and limits and opens a link.

import { randomFillSync } from 'node:crypto';
import { MAX_NODE_ID } from '@marekvs/api';
import { endpointOf } from '../address.ts';
import { callLimits, checkPositive } from '../connection.ts';
import type { ContentClient } from './content-reader.ts';
import { MeshLink } from './mesh-link.ts';
import type { ConnectionKind } from './mesh-messages.ts';
import { MeshReader } from './mesh-reader.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const DEFAULT_PING_EVERY_MS = 1000;

export interface ContentClientOptions {
  /** For a whole call, connecting included; default 10 s: under load a member's answers wait behind its own repairs. */
  readonly timeoutMs?: number | undefined;
  /** Most bytes of answers taken in one call; default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Local IPv4 address to connect from. */
  readonly localAddress?: string | undefined;
  /** Default 1000; a member hangs up after three seconds of silence. */
  readonly pingEveryMs?: number | undefined;
  /** A random number of 64 bits, for roots that must not match the member's own. */
  readonly random?: (() => bigint) | undefined;
}

/** A client without state of its own; the caller closes the readers it opens.
 *  @throws RangeError for a limit or local address that is not valid */
export function createContentClient(options: ContentClientOptions = {}): ContentClient {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, localAddress, random = random64 } = options;
  const pingEveryMs = checkPositive('pingEveryMs', options.pingEveryMs ?? DEFAULT_PING_EVERY_MS);
  const limitsOf = callLimits({ timeoutMs, maxBytes, localAddress });
  return {
    open: async (address, call) => {
      const endpoint = endpointOf(address, 'mesh');
      const limits = limitsOf(call);
      const nodeId = checkNodeId(call.nodeId);
      const connect = (kind: ConnectionKind) => new MeshLink(endpoint, { nodeId, kind, localAddress, pingEveryMs });
      const link = connect('control');
      await link.open(limits);
      return new MeshReader({ link, openBulk: () => connect('bulk'), limitsOf, random });
    },
  };
}

/** Drawn many at a time: drawing them one by one took a twelfth of the CPU time of a busy operator. */
const drawn = new BigUint64Array(512);
let drawnLeft = 0;

function random64(): bigint {
  if (drawnLeft === 0) {
    randomFillSync(drawn);
    drawnLeft = drawn.length;
  }
  drawnLeft -= 1;
  return drawn[drawnLeft] ?? 0n;
}

function checkNodeId(nodeId: number): number {
  if (Number.isInteger(nodeId) && nodeId >= 0 && nodeId <= MAX_NODE_ID) return nodeId;
  throw new RangeError(`nodeId ${nodeId}: not in 0..${MAX_NODE_ID}`);
}
