// A short RESP connection for a burst of commands: pipelined in slices, so that neither our send buffer nor the
// server's output buffer grows with the length of the list.

import { type Endpoint, endpointOf, type MemberAddress } from './address.ts';
import { Connection, type RoundTripLimits } from './connection.ts';
import { StoreProtocolError } from './errors.ts';
import { exchangeCommands } from './resp-exchange.ts';
import type { RespValue } from './resp-value.ts';
import type { CallOptions, StoreCommand, StoreSession } from './store-client.ts';

const SLICE_COMMANDS = 512;
const SLICE_BYTES = 64 * 1024;

type LimitsOf = (options: CallOptions | undefined) => RoundTripLimits;

/** Connects and authenticates. A PING checks that commands are accepted. */
export async function openSession(
  address: MemberAddress,
  limitsOf: LimitsOf,
  localAddress: string | undefined,
  options?: CallOptions,
): Promise<StoreSession> {
  const endpoint = endpointOf(address, 'resp');
  const connection = new Connection(endpoint, localAddress);
  try {
    const tried = 'open session';
    const { password } = address;
    const limits = limitsOf(options);
    const [pong] = await exchangeCommands(connection, tried, [['PING']], limits, password, options?.onGuarded);
    if (pong !== 'PONG')
      throw new StoreProtocolError('PING was not answered with PONG', { address: endpoint.text, tried });
  } catch (error) {
    connection.close();
    throw error;
  }
  return new Session(connection, endpoint, limitsOf);
}

class Session implements StoreSession {
  readonly #connection: Connection;
  readonly #endpoint: Endpoint;
  readonly #limitsOf: LimitsOf;
  #isBusy = false;

  constructor(connection: Connection, endpoint: Endpoint, limitsOf: LimitsOf) {
    this.#connection = connection;
    this.#endpoint = endpoint;
    this.#limitsOf = limitsOf;
  }

  async commands(list: readonly StoreCommand[], options?: CallOptions): Promise<readonly RespValue[]> {
    if (this.#isBusy) throw new RangeError(`session to ${this.#endpoint.text}: one list of commands at a time`);
    this.#isBusy = true;
    try {
      const replies: RespValue[] = [];
      for (const slice of slices(list)) {
        const tried = `${slice.length} commands`;
        replies.push(...(await exchangeCommands(this.#connection, tried, slice, this.#limitsOf(options))));
      }
      return replies;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.#isBusy = false;
    }
  }

  close(): void {
    this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

/** Cuts a list so that no slice has more than 512 commands or, unless one command alone is larger, 64 KiB. */
function* slices(list: readonly StoreCommand[]): Generator<readonly StoreCommand[]> {
  let slice: StoreCommand[] = [];
  let sizeBytes = 0;
  for (const command of list) {
    const commandBytes = command.reduce((sum, part) => sum + part.length + 16, 16);
    if (slice.length > 0 && (slice.length >= SLICE_COMMANDS || sizeBytes + commandBytes > SLICE_BYTES)) {
      yield slice;
      slice = [];
      sizeBytes = 0;
    }
    slice.push(command);
    sizeBytes += commandBytes;
  }
  if (slice.length > 0) yield slice;
}
