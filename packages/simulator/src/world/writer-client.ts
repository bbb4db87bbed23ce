// A client of the cluster that writes at a steady rate through one connection, reached by the client Service, and notes what was
// acknowledged. It gives a connection back after a while, as pools do, and so follows the Service.

import { ConnectionRefusedError } from '../member/errors.ts';
import type { MemberNetwork } from '../memory/member-network.ts';
import type { MemoryClient } from '../memory/memory-client.ts';
import type { Endpoints } from './endpoints.ts';
import type { Ledger } from './ledger.ts';

export interface WriterOptions {
  readonly network: MemberNetwork;
  readonly endpoints: Endpoints;
  readonly ledger: Ledger;
  readonly random: () => number;
  /** `namespace/name` of the client Service. */
  readonly service: string;
  readonly name: string;
  readonly writesPerSecond: number;
  /** Keys written in turn, so many of its own. */
  readonly keys: number;
  /** A connection is not used for longer than this; default 5 s. */
  readonly connectionMs?: number;
}

interface Connection {
  readonly process: string;
  readonly client: MemoryClient;
  readonly untilMs: number;
  heard: number;
}

export class WriterClient {
  readonly #options: WriterOptions;
  #connection: Connection | undefined;
  #sent = 0;
  #isStopped = false;
  refused = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
    this.#hangUp();
  }

  #next(): void {
    const { network, random, writesPerSecond } = this.#options;
    network.clock.after((1_000 / writesPerSecond) * (0.5 + random()), () => {
      if (this.#isStopped) return;
      this.#write();
      this.#next();
    });
  }

  #write(): void {
    const { network, ledger, keys, name } = this.#options;
    const connection = this.#connect();
    if (connection === undefined || network.isFrozen(connection.process)) {
      this.refused += 1;
      return;
    }
    this.#sent += 1;
    const key = `${name}:${this.#sent % keys}`;
    connection.client.send('SET', key, String(this.#sent));
    const answer = connection.client.received.slice(connection.heard);
    connection.heard = connection.client.received.length;
    if (answer.startsWith('+OK')) ledger.acknowledge(key, this.#sent);
    else {
      this.refused += 1;
      this.#hangUp();
    }
  }

  #connect(): Connection | undefined {
    const { network, endpoints, service, random, connectionMs = 5_000 } = this.#options;
    const now = network.clock.now();
    const old = this.#connection;
    if (old !== undefined && network.isRespOpen(old.process) && !old.client.isClosed && now < old.untilMs) return old;
    this.#hangUp();
    const addresses = endpoints.of(service);
    const process = network.nameAt(addresses[Math.floor(random() * addresses.length)] ?? '');
    if (process === undefined) return undefined;
    try {
      const client = network.connect(process);
      this.#connection = { process, client, untilMs: now + connectionMs * (0.5 + random()), heard: 0 };
    } catch (error) {
      if (!(error instanceof ConnectionRefusedError)) throw error;
    }
    return this.#connection;
  }

  #hangUp(): void {
    this.#connection?.client.close();
    this.#connection = undefined;
  }
}
