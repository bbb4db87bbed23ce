import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Connection } from '../src/connection.ts';

describe('Connection.write', () => {
  it('drops what the other side does not read instead of keeping it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    if (bound === null || typeof bound === 'string') throw new Error('no port');
    const connection = new Connection({ host: '127.0.0.1', port: bound.port, text: 'here' });
    const [socket] = (await once(server, 'connection')) as [Socket];
    socket.pause();
    const piece = new Uint8Array(64 * 1024);
    const pieces = 400; // 25 MiB: several times what the kernel keeps for two ends
    for (let i = 0; i < pieces; i += 1) connection.write(piece);
    let received = 0;
    socket.on('data', (chunk: Uint8Array) => {
      received += chunk.length;
      if (chunk.at(-1) === 1) socket.write('done');
    });
    socket.resume();
    await connection.roundTrip('last byte', Uint8Array.of(1), (chunk) => chunk, { timeoutMs: 5000, maxBytes: 100 });
    expect(received).to.be.lessThan((pieces * piece.length) / 2);
    connection.close();
    server.close();
    await once(server, 'close');
  });
});
