// What a port forward of the local kubelet does with the frames of a client. That it works with kubectl and a real API
// server is tested in test-e2e/journeys/cli-live.test.ts.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { servePortForward } from '../src/kubelet/server/port-forward.ts';
import { SPDY_DICTIONARY } from '../src/kubelet/server/spdy-dictionary.ts';
import { findFreePort } from '../src/processes/ports.ts';

const FIN = 1;
const SYN_REPLY = 2;

interface Frame {
  /** The flags of a control frame. */
  readonly type: number | undefined;
  readonly stream: number;
  readonly isLast: boolean;
  readonly text: string;
}

function frame(first: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(first, 0);
  head.writeUInt32BE(body.length, 4);
  head.writeUInt8(flags, 4);
  return Buffer.concat([head, body]);
}

const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

/** The other end, like kubectl: all headers are one compressed stream. */
class Client {
  readonly #connection: Duplex;
  #held: Buffer = Buffer.alloc(0);
  #isFirst = true;

  constructor(connection: Duplex) {
    this.#connection = connection;
    connection.on('data', (chunk: Buffer) => {
      this.#held = Buffer.concat([this.#held, chunk]);
      connection.emit('more');
    });
  }

  open(stream: number, headers: Readonly<Record<string, string>>): void {
    const texts = Object.entries(headers).flat();
    const parts = texts.flatMap((text) => [numbers(text.length), Buffer.from(text)]);
    const block = Buffer.concat([numbers(texts.length / 2), ...parts]);
    const finishFlush = constants.Z_SYNC_FLUSH;
    const packed = this.#isFirst
      ? deflateSync(block, { dictionary: SPDY_DICTIONARY, finishFlush })
      : deflateRawSync(block, { finishFlush });
    this.#isFirst = false;
    this.#connection.write(frame(0x8003_0001, 0, Buffer.concat([numbers(stream, 0), Buffer.alloc(2), packed])));
  }

  send(stream: number, text: string, flags = 0): void {
    this.#connection.write(frame(stream, flags, Buffer.from(text)));
  }

  async head(): Promise<string> {
    for (let at = this.#held.indexOf('\r\n\r\n'); ; at = this.#held.indexOf('\r\n\r\n')) {
      if (at >= 0) return this.#take(at + 4).toString();
      await once(this.#connection, 'more');
    }
  }

  async frame(): Promise<Frame> {
    while (this.#held.length < 8 || this.#held.length < 8 + (this.#held.readUInt32BE(4) & 0xff_ffff))
      await once(this.#connection, 'more');
    const head = this.#take(8);
    const body = this.#take(head.readUInt32BE(4) & 0xff_ffff);
    const isControl = head.readUInt8(0) >= 0x80;
    return {
      type: isControl ? head.readUInt16BE(2) : undefined,
      stream: isControl ? body.readUInt32BE(0) : head.readUInt32BE(0),
      isLast: (head.readUInt8(4) & FIN) !== 0,
      text: isControl ? '' : body.toString(),
    };
  }

  #take(bytes: number): Buffer {
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return taken;
  }
}

describe('a port forward of the local kubelet', () => {
  let echo: Server;
  let port = 0;
  before(async () => {
    port = await findFreePort();
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(port, '127.0.0.1', resolve));
  });
  after(() => void echo.close());

  async function forwarded(to: number, addresses: readonly string[] = ['127.0.0.1']) {
    const [ours, theirs] = duplexPair();
    const served = servePortForward(ours, addresses);
    const client = new Client(theirs);
    expect(await client.head()).to.match(/^HTTP\/1\.1 101 .*Upgrade: SPDY\/3\.1\r\n/s);
    const about = { port: String(to), requestid: '0' };
    client.open(1, { streamtype: 'error', ...about });
    client.send(1, '', FIN);
    client.open(3, { streamtype: 'data', ...about });
    const replies = [await client.frame(), await client.frame()];
    expect(replies.map(({ type, stream }) => [type, stream])).to.deep.equal([
      [SYN_REPLY, 1],
      [SYN_REPLY, 3],
    ]);
    return { client, served, theirs };
  }

  it('carries bytes in both directions, and ends when both ends have ended', async () => {
    const { client, served, theirs } = await forwarded(port);
    client.send(3, 'hello');
    expect(await client.frame()).to.deep.equal({ type: undefined, stream: 3, isLast: false, text: 'hello' });
    client.send(3, '', FIN);
    const ends = [await client.frame(), await client.frame()];
    expect(ends.map(({ stream, isLast, text }) => [stream, isLast, text])).to.deep.equal([
      [3, true, ''],
      [1, true, ''],
    ]);
    theirs.end();
    await served;
  });

  it('takes the first address on which something listens: a listener on all of them is reached, too', async () => {
    for (const addresses of [
      ['127.0.0.2', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.2'],
    ]) {
      const { client, served, theirs } = await forwarded(port, addresses);
      client.send(3, 'hello');
      expect(await client.frame()).to.include({ stream: 3, text: 'hello' });
      theirs.end();
      theirs.destroy();
      await served.catch(() => undefined);
    }
  });

  it('reports on the error stream why there is no connection', async () => {
    const { client, theirs, served } = await forwarded(await findFreePort());
    const said = await client.frame();
    expect([said.stream, said.text]).to.satisfy(
      ([stream, text]: readonly [number, string]) => stream === 1 && /ECONNREFUSED/.test(text),
    );
    theirs.end();
    await served;
  });
});
