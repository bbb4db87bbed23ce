// Free TCP ports on a loopback address, and a range of 127.0.0.0/8 per testbed.
// A range is held by a listening socket: the kernel gives it back when the holder dies, however it dies.
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { PortInUseError, TestbedError } from '../errors.ts';

/** Below the range the kernel gives to outgoing connections and to listeners on port 0 (from 32768 on): none of those
 *  takes a port between its choice and its use. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const TRIES = 100;

/** A port that was free a moment ago. Another process may take it first, so the caller has to be ready to try again.
 *  @throws TestbedError when none was free */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  for (let i = 0; i < TRIES; i += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    try {
      await close(await listen(host, port));
      return port;
    } catch (err) {
      if (!isInUse(err)) throw err;
    }
  }
  throw new TestbedError(`find a free port on ${host}: ${TRIES} from ${FIRST_PORT} to ${LAST_PORT} are in use`);
}

/** @throws PortInUseError when a process listens there */
export async function requireFreePort(what: string, host: string, port: number): Promise<void> {
  try {
    await close(await listen(host, port));
  } catch (err) {
    if (isInUse(err)) throw new PortInUseError(what, host, port, err);
    throw err;
  }
}

/** One 127.<octet>.0.0/16 of this machine, ours until release or death. */
export interface LoopbackRange {
  /** 10 to 250. */
  readonly octet: number;
  release(): Promise<void>;
}

const FIRST_OCTET = 10;
const LAST_OCTET = 250;
const HOLDER_PORT = 47_319;

/** Takes a range that no other testbed on this machine uses, whoever runs it.
 *  @param firstOctet where to search first; random by default, so that a range just given back rests a while
 *  @throws TestbedError when all are taken, or where 127.0.0.0/8 does not answer as on Linux */
export async function reserveLoopbackRange(firstOctet?: number): Promise<LoopbackRange> {
  const count = LAST_OCTET - FIRST_OCTET + 1;
  const start = firstOctet === undefined ? Math.floor(Math.random() * count) : firstOctet - FIRST_OCTET;
  for (let offset = 0; offset < count; offset++) {
    const octet = FIRST_OCTET + ((start + offset) % count);
    const server = await tryHold(octet);
    if (server !== undefined) return { octet, release: () => close(server) };
  }
  throw new TestbedError(`reserve a range of 127.0.0.0/8: all ${count} are in use by other testbeds`);
}

async function tryHold(octet: number): Promise<Server | undefined> {
  const host = `127.${octet}.255.254`;
  try {
    const server = await listen(host, HOLDER_PORT);
    server.unref();
    return server;
  } catch (err) {
    if (isInUse(err)) return undefined;
    throw new TestbedError(
      `listen on ${host}: the local kubelet needs all of 127.0.0.0/8 on the loopback interface, as Linux has it`,
      {
        cause: err,
      },
    );
  }
}

function listen(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.removeListener('error', reject);
      resolve(server);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function isInUse(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === 'EADDRINUSE';
}
