// A client that writes at a steady rate and records what was acknowledged. If aware, it works like a Redis Cluster
// client: now and then it gets the slot table from a member behind the client Service, and it writes each key to its
// primary. If unaware, it writes everything through one member, like a client behind a plain load balancer. If roaming,
// it writes to any member whose port takes it, by its address, whatever becomes of the Pod, and never hangs up.

import { oncePer } from '@marekvs/api';
import { ConnectionRefusedError } from '../../member/basics/errors.ts';
import { ownersAt, type Placement } from '../../member/membership/placement.ts';
import type { View } from '../../member/membership/view.ts';
import { partitionOf } from '../../member/records/keys.ts';
import { hostOf } from '../../member/settings/settings.ts';
import type { MemberNetwork } from '../../memory/member-network.ts';
import type { MemoryClient } from '../../memory/memory-client.ts';
import type { Endpoints } from '../controllers/endpoints.ts';
import { type ClientWrite, recordsOf } from './client-command.ts';
import { type WriteOptions, writeOf } from './client-writes.ts';
import type { Ledger } from './ledger.ts';

export interface WriterOptions extends WriteOptions {
  readonly network: MemberNetwork;
  readonly endpoints: Pick<Endpoints, 'of'>;
  readonly ledger: Ledger;
  readonly random: () => number;
  /** `namespace/name` of the client Service. */
  readonly service: string;
  readonly name: string;
  readonly writesPerSecond: number;
  readonly isAware: boolean;
  /** Addresses of all Pods that run, whether or not they are behind the Service: makes the client a roaming one. */
  readonly everywhere?: () => readonly string[];
}

interface Connection {
  readonly process: string;
  readonly client: MemoryClient;
  /** The command that is not answered yet: members that are no home ask one first. */
  waiting: readonly string[] | undefined;
}

/** How long a slot table is used (or a connection, without a table): at most this long, at least half of it. */
const REFRESH_MS = 5_000;
const nobody: ReadonlySet<number> = new Set();
const primariesOf = oncePer(({ owners }: Placement) => new Set(owners.flatMap(([primary]) => primary ?? [])));

export class WriterClient {
  readonly #options: WriterOptions;
  readonly #connections = new Map<string, Connection>();
  #view: View | undefined;
  #entry = '';
  #refreshAtMs = 0;
  #sent = 0;
  #isStopped = false;
  refused = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
    this.#hangUp(() => true);
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
    const { network, name, everywhere } = this.#options;
    if (everywhere !== undefined) this.#entry = this.#pick(everywhere());
    else if (network.clock.now() >= this.#refreshAtMs) this.#refresh();
    for (const connection of this.#connections.values()) if (connection.waiting !== undefined) this.#hear(connection);
    const write = writeOf(name, this.#sent + 1, this.#options);
    const connection = this.#connectionFor(write);
    if (connection === undefined || network.isFrozen(connection.process)) {
      this.refused += 1;
      this.#refreshAtMs = 0;
      return;
    }
    if (connection.waiting !== undefined) {
      this.#giveUp(connection);
      return;
    }
    this.#sent += 1;
    connection.waiting = write.words;
    connection.client.send(...write.words);
    this.#hear(connection);
  }

  /** What was acknowledged is what the member has stored by now. */
  #hear(connection: Connection): void {
    const { network, ledger } = this.#options;
    const { client, process, waiting } = connection;
    const [answer] = client.take();
    if (waiting === undefined || answer === undefined || client.isClosed) return;
    connection.waiting = undefined;
    if (answer.startsWith('-')) {
      this.#giveUp(connection);
      return;
    }
    const { store, knobs } = network.member(process);
    ledger.acknowledge(recordsOf(waiting, knobs.hyperLogLogRegisters).map((key) => store.get(key)));
  }

  #giveUp(connection: Connection): void {
    this.refused += 1;
    this.#hangUp((address) => this.#connections.get(address) === connection);
  }

  /** Gets the member list from a member behind the Service, and disconnects from members without primaries. */
  #refresh(): void {
    const { network, endpoints, service, random, isAware } = this.#options;
    this.#entry = this.#pick(endpoints.of(service));
    const process = network.nameAt(this.#entry);
    this.#refreshAtMs = network.clock.now() + REFRESH_MS * (0.5 + random() / 2);
    this.#view =
      isAware && process !== undefined && network.isRespOpen(process) ? network.member(process).view : undefined;
    const primaries = this.#view === undefined ? nobody : primariesOf(this.#view.placement);
    const used = new Set(
      this.#view?.members.filter(({ id }) => primaries.has(id)).map(({ respAddress }) => hostOf(respAddress)),
    );
    this.#hangUp((address) => !used.has(address));
  }

  #pick(addresses: readonly string[]): string {
    return addresses[Math.floor(this.#options.random() * addresses.length)] ?? '';
  }

  #connectionFor({ key, home }: ClientWrite): Connection | undefined {
    const { network } = this.#options;
    const homes = this.#view === undefined || key === undefined ? [] : ownersAt(this.#view.placement, partitionOf(key));
    const id = homes[home % homes.length];
    const member = this.#view?.members.find((one) => one.id === id);
    const address = member === undefined ? this.#entry : hostOf(member.respAddress);
    const known = this.#connections.get(address);
    if (known !== undefined && network.isRespOpen(known.process) && !known.client.isClosed) return known;
    this.#hangUp((one) => one === address);
    const process = network.nameAt(address);
    if (process === undefined) return undefined;
    try {
      const connection: Connection = { process, client: network.connect(process), waiting: undefined };
      this.#connections.set(address, connection);
      return connection;
    } catch (error) {
      if (!(error instanceof ConnectionRefusedError)) throw error;
      return undefined;
    }
  }

  #hangUp(isUnwanted: (address: string) => boolean): void {
    for (const [address, { client }] of this.#connections) {
      if (!isUnwanted(address)) continue;
      client.close();
      this.#connections.delete(address);
    }
  }
}
