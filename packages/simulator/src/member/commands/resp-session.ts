// One client connection: authentication, the order of answers and what counts as a command
// (docs/design/server.md#resp). What each command does is in commands-*.ts.

import type { ServedMember } from '../interfaces/served-member.ts';
import { clusterCommand } from './commands-cluster.ts';
import { dataCommands } from './commands-data.ts';
import { serverCommands } from './commands-server.ts';
import type { CallSession, Command } from './resp-call.ts';
import { array, bulk, CommandDecoder, encodedLength, encodeReply, failure, integer, type Reply } from './resp-wire.ts';

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ...serverCommands,
  ...dataCommands,
  ['cluster', clusterCommand],
  ['command', ({ args, answer }) => answer(args[0] === undefined ? commandTable : array([]))],
]);
/** Commands of several keys, and the distance from one key to the next. */
const MANY_KEYS: ReadonlyMap<string, number> = new Map([
  ['del', 1],
  ['exists', 1],
  ['mget', 1],
  ['mset', 2],
]);
/** COMMAND, by which some libraries learn where the keys of a command are. */
const commandTable: Reply = array([
  ...[...serverCommands, ['cluster'] as const].map(([name]) => commandRow(name, 0, 0, 0)),
  ...dataCommands.map(([name]) => {
    const step = MANY_KEYS.get(name);
    return commandRow(name, 1, step === undefined ? 1 : -1, step ?? 1);
  }),
]);

function commandRow(name: string, first: number, last: number, step: number): Reply {
  return array([bulk(name), integer(-1), array([]), integer(first), integer(last), integer(step)]);
}

const openBeforeAuth = new Set(['auth', 'hello', 'quit', 'reset']);

export interface SessionPort {
  /** Bytes as latin1. */
  write(bytes: string): void;
  close(): void;
}

export class RespSession implements CallSession {
  readonly #member: ServedMember;
  readonly #port: SessionPort;
  readonly #forget: () => void;
  readonly #decoder = new CommandDecoder();
  readonly #waiting: (readonly string[])[] = [];
  #isBusy = false;
  #isClosed = false;
  /** A password that is set later applies to new sessions only. */
  isAuthenticated: boolean;
  protocol: 2 | 3 = 2;
  readonly id: number;

  /** @param forget called once, when either side closes the connection */
  constructor(member: ServedMember, port: SessionPort, forget: () => void) {
    this.#member = member;
    this.#port = port;
    this.#forget = forget;
    this.isAuthenticated = member.requirepass === '';
    member.metrics.add('connections_accepted_total');
    this.id = member.metrics.get('connections_accepted_total');
  }

  receive(bytes: string): void {
    this.#member.metrics.add('net_input_bytes_total', bytes.length);
    const { commands: complete, error } = this.#decoder.push(bytes);
    this.#waiting.push(...complete);
    this.#serve();
    if (error === undefined) return;
    this.#write(failure(error));
    this.close();
  }

  /** The same for a driver without a wire: one command as its words. */
  receiveWords(words: readonly string[]): void {
    this.#member.metrics.add('net_input_bytes_total', encodedLength(words));
    this.#waiting.push(words);
    this.#serve();
  }

  /** Ends the connection after what was already answered. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#member.metrics.add('connections_closed_total');
    this.#forget();
    this.#port.close();
  }

  #serve(): void {
    while (!this.#isBusy && !this.#isClosed) {
      const words = this.#waiting.shift();
      if (words === undefined) return;
      this.#isBusy = true;
      this.#run(words);
    }
  }

  #run(words: readonly string[]): void {
    const name = words[0] ?? '';
    const args = words.slice(1);
    const command = name.toLowerCase();
    if (!this.isAuthenticated && !openBeforeAuth.has(command)) {
      this.#finish(failure('NOAUTH Authentication required.'));
      return;
    }
    // The store does not answer: this command and all later ones of the client wait.
    if (this.#member.knobs.slowStore && !openBeforeAuth.has(command)) return;
    const startedAtMs = this.#member.world.now();
    const known = commands.get(command);
    const answer = (reply: Reply) => {
      const seconds = Math.max(0.00003, (this.#member.world.now() - startedAtMs) / 1_000);
      this.#member.metrics.countCommand(command, seconds, reply.kind === 'error');
      this.#finish(reply);
    };
    if (known === undefined) answer(failure(`ERR unknown command '${name}'`));
    else known({ member: this.#member, session: this, command, args, answer });
  }

  #finish(reply: Reply): void {
    this.#isBusy = false;
    this.#write(reply);
    this.#serve();
  }

  #write(reply: Reply): void {
    if (this.#isClosed) return;
    const bytes = encodeReply(reply, this.protocol);
    this.#member.metrics.add('net_output_bytes_total', bytes.length);
    this.#port.write(bytes);
  }
}
