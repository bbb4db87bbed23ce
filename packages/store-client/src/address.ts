// Where a member listens. Only IPv4 literals: the server supports nothing else (docs/design/server.md#h8), and a name
// would add a DNS lookup without a time limit of its own.

import { isIPv4 } from 'node:net';
import { MEMBER_PORTS } from '@marekvs/api';

/** Address of one member, from its Pod's status. */
export interface MemberAddress {
  /** IPv4 literal, normally `status.podIP`. */
  readonly host: string;
  /** RESP port, default 6379. */
  readonly respPort?: number | undefined;
  /** Port of probes and metrics, default 9121. */
  readonly metricsPort?: number | undefined;
  /** Port of the mesh between members, default 7373. */
  readonly meshPort?: number | undefined;
  /** Password for AUTH; absent or empty means none. Never logged, never part of an error. */
  readonly password?: string | undefined;
}

/** `host:port` of one of the listeners.
 *  @throws RangeError for anything but an IPv4 literal and a port of 1..65535 */
export function endpointOf(address: MemberAddress, listener: 'resp' | 'metrics' | 'mesh'): Endpoint {
  const port = address[`${listener}Port`] ?? MEMBER_PORTS[listener];
  if (!isIPv4(address.host))
    throw new RangeError(`member address ${JSON.stringify(address.host)}: not an IPv4 literal`);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new RangeError(`member port ${port}: not in 1..65535`);
  return { host: address.host, port, text: `${address.host}:${port}` };
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** `host:port`, for messages. */
  readonly text: string;
}
