import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { StoreError, StoreProtocolError, StoreTooLargeError } from '../src/errors.ts';
import { encodeGet, type HttpAnswer, HttpResponseReader } from '../src/http-response.ts';
import { sample, sampleBody } from './support/samples.ts';
import { singleBytes, splitsOf } from './support/split.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads everything up to the first complete answer. */
function read(pieces: readonly Uint8Array[], maxBodyBytes = 1 << 20): { status: number; body: string } | undefined {
  const reader = new HttpResponseReader(maxBodyBytes);
  for (const piece of pieces) {
    const answer: HttpAnswer | undefined = reader.push(piece);
    if (answer) return { status: answer.status, body: new TextDecoder().decode(answer.body) };
  }
  return undefined;
}

describe('HttpResponseReader', () => {
  for (const [name, status] of [
    ['http_metrics.txt', 200],
    ['http_ready.txt', 200],
    ['http_alive.txt', 200],
    ['http_drain.txt', 200],
    ['http_nosuch.txt', 404],
  ] as const) {
    it(`reads ${name} in the same way for any split of the bytes`, () => {
      const bytes = sample(name);
      const expected = { status, body: sampleBody(name) };
      expect(read(singleBytes(bytes))).to.deep.equal(expected);
      fc.assert(
        fc.property(splitsOf(bytes), (pieces) => {
          expect(read(pieces)).to.deep.equal(expected);
        }),
        { numRuns: 50 },
      );
    });
  }

  it('is not complete one byte before the announced end, and ignores what follows it', () => {
    const bytes = sample('http_ready.txt');
    expect(read([bytes.subarray(0, -1)])).to.equal(undefined);
    expect(read([bytes, bytesOf('more')])?.body).to.equal('ready\n');
    expect(read([Buffer.concat([bytes, bytesOf('more')])])?.body).to.equal('ready\n');
  });

  const bad: [what: string, text: string][] = [
    ['another protocol', '+PONG\r\n'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n'],
    ['a status that is none', 'HTTP/1.1 2000 OK\r\n'],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\nready\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Length: 6\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -6\r\n\r\n'],
    ['a chunked body', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
  ];
  for (const [what, text] of bad) {
    it(`refuses ${what}`, () => expect(() => read([bytesOf(text)])).to.throw(StoreProtocolError));
  }

  it('refuses a body whose announced length is over the limit before it comes, and a head without an end', () => {
    expect(() => read([bytesOf('HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n')], 10)).to.throw(StoreTooLargeError);
    expect(() => read([bytesOf(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(9000)}`)])).to.throw(StoreTooLargeError);
    expect(() => read([bytesOf(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(3000)}`)])).to.throw(StoreTooLargeError);
  });

  it('gives an answer or a StoreError for garbage, never another exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.boolean(), (tail, hasStatus) => {
        try {
          read([hasStatus ? bytesOf('HTTP/1.1 200 OK\r\n') : new Uint8Array(0), tail]);
        } catch (error) {
          expect(error).to.be.instanceOf(StoreError);
        }
      }),
    );
  });

  it('writes a request in one piece, which the server can read at once', () => {
    const request = new TextDecoder().decode(encodeGet('/metrics', '10.0.0.1:9121'));
    expect(request).to.equal('GET /metrics HTTP/1.1\r\nHost: 10.0.0.1:9121\r\nConnection: close\r\n\r\n');
  });
});
