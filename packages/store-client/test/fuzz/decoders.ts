// Everything here that turns a member's bytes into values, with real samples of what it reads. A view of the input
// costs one, however long it is.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type FuzzedDecoder, sizeOf } from '../../../api/test/fuzz/fuzz.ts';
import { parseClusterInfo, parseInfo } from '../../src/cluster-info.ts';
import { parseClusterNodes } from '../../src/cluster-nodes.ts';
import { checkSize, decodeMessage, readHead } from '../../src/contents/decode-message.ts';
import { FrameDecoder } from '../../src/contents/frame-decoder.ts';
import { StoreError } from '../../src/errors.ts';
import { HttpResponseReader } from '../../src/http-response.ts';
import { parseMetricsText } from '../../src/member-metrics.ts';
import { scanSamples } from '../../src/prometheus-text.ts';
import { RespDecoder } from '../../src/resp-decoder.ts';
import { say } from '../support/mesh-wire.ts';

const isRefusal = (error: unknown): boolean => error instanceof StoreError;

const sample = (name: string): Buffer => readFileSync(new URL(`../samples/${name}`, import.meta.url));

/** Real answers, and the beginnings of long ones: most of those is the same again and again. */
function beginnings(bytes: Buffer, ...lengths: readonly number[]): readonly Buffer[] {
  return lengths.map((length) => bytes.subarray(0, bytes.lastIndexOf('\n', length) + 1));
}

const NODES = sample('cluster_nodes.txt');
const NODE_LINES = NODES.toString('latin1')
  .split('\n')
  .slice(0, 3)
  .map((line) => `${line.split(' ').slice(0, 14).join(' ')}\n`);
const METRICS = sample('http_metrics.txt');
const METRICS_BODY = METRICS.subarray(METRICS.indexOf('\r\n\r\n') + 4);
const NUMBERS = ['0', '1', '16383', '65535', '-1', '4294967295', '99999999999999999999', ''] as const;

const resp: FuzzedDecoder = {
  name: 'RESP',
  isRefusal,
  samples: [
    ...beginnings(gunzipSync(sample('cluster_slots.raw.gz')), 300, 700),
    bulk(sample('cluster_info.txt')),
    bulk(Buffer.from(NODE_LINES.join(''))),
    Buffer.from('*2\r\n*1\r\n:1\r\n$3\r\nabc\r\n+OK\r\n-ERR no\r\n$-1\r\n*0\r\n'),
  ],
  piece: (chance) => `${chance.of(['+', '-', ':', '$', '*', '*', '*', '_'])}${chance.of(NUMBERS)}\r\n`,
  decode(chunks) {
    const decoder = new RespDecoder();
    let cost = 0;
    for (const chunk of chunks) {
      decoder.push(chunk);
      for (let value = decoder.next(); value !== undefined; value = decoder.next()) cost += sizeOf(value);
    }
    return cost;
  },
};

const http: FuzzedDecoder = {
  name: 'HTTP',
  isRefusal,
  samples: [...['http_alive.txt', 'http_drain.txt', 'http_nosuch.txt'].map(sample), METRICS.subarray(0, 600)],
  piece: (chance) =>
    chance.of([
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.0 503 Service Unavailable\r\n',
      `Content-Length: ${chance.of(NUMBERS)}\r\n`,
      'Transfer-Encoding: chunked\r\n',
      `X-${'a'.repeat(chance.below(200))}: b\r\n`,
      '\r\n',
      'body',
    ]),
  decode(chunks) {
    const reader = new HttpResponseReader(512 * 1024);
    for (const chunk of chunks) {
      const answer = reader.push(chunk);
      if (answer !== undefined) return sizeOf(answer.body);
    }
    return 0;
  },
};

const metrics: FuzzedDecoder = {
  name: 'metrics text',
  isRefusal,
  samples: beginnings(METRICS_BODY, 800, 2_000),
  piece: (chance) =>
    `${chance.of(['marekvs_mesh_peers', 'marekvs_commands_total', '# HELP', 'marekvs_info', 'up'])}` +
    `${chance.of(['', '{}', '{cmd="get"}', '{cmd="\\"\\\\\\n"}', '{a="b",a="c"}', '{a=', '{a="b'])} ` +
    `${chance.of(NUMBERS)}${chance.of(['\n', ' 17\n', ''])}`,
  decode(chunks) {
    const body = Buffer.concat(chunks);
    let cost = 0;
    scanSamples(body, ({ name, labels }) => {
      cost += 1 + name.length;
      for (const [label, value] of Object.entries(labels)) cost += 1 + label.length + value.length;
    });
    parseMetricsText(body);
    return cost;
  },
};

const nodes: FuzzedDecoder = {
  name: 'CLUSTER NODES',
  isRefusal,
  samples: [Buffer.from(NODE_LINES.join('')), ...NODE_LINES.map((line) => Buffer.from(line))],
  piece: (chance) =>
    `${'0'.repeat(36)}${chance.of(['00', '01', 'ab'])}${10 + chance.below(90)} ` +
    `${chance.of(['10.0.0.1:6379@7946', '10.0.0.2:6379@7946', '::1:1@1'])} ` +
    `${chance.of(['master', 'master', 'myself,master'])} - 0 0 ` +
    `${chance.of(NUMBERS)} connected${chance.of(['', ' 0-16383', ' 5', ' 5-4', ' 1-2 3-4', '  1'])}\n`,
  decode: (chunks) => sizeOf(parseClusterNodes(Buffer.concat(chunks), 64)),
};

const info: FuzzedDecoder = {
  name: 'CLUSTER INFO and INFO',
  isRefusal,
  samples: [sample('cluster_info.txt'), sample('info_bare.txt')],
  piece: (chance) => `${chance.of(['cluster_size', '# Server', 'a', ''])}:${chance.of(NUMBERS)}\r\n`,
  decode(chunks) {
    const text = Buffer.concat(chunks);
    const cost = sizeOf([...parseInfo(text)]);
    return cost + sizeOf(parseClusterInfo(text));
  },
};

const key = Buffer.from('a key of a record');
const value = Buffer.from('00112233445566778899aabbccddeeff00112233', 'hex');
const digests = Array.from({ length: 256 }, (_, i) => (i % 3 === 0 ? 2n ** 63n + BigInt(i) : 0n));

const mesh: FuzzedDecoder = {
  name: 'mesh frames',
  isRefusal,
  samples: [
    say.hello(3),
    say.match(9),
    say.buckets(9, digests),
    say.bucketKeys(9, 1, [
      [2n ** 64n - 1n, 5n, 0n],
      [1n, 2n ** 63n, 7n],
    ]),
    say.repairOps(9, [[key, value]]),
    say.chunk(9, [
      [key, value],
      [key, value],
    ]),
    say.done(9),
    Buffer.concat([say.ping(1n), say.pong(2n), say.publish(key, value)]),
  ],
  piece(chance) {
    const body = Buffer.from(Array.from({ length: 1 + chance.below(40) }, () => chance.below(256)));
    body[0] = chance.of([0, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23]);
    const frame = Buffer.alloc(4 + body.length);
    frame.writeUInt32LE(chance.below(20) === 0 ? chance.below(2 ** 32) : body.length);
    body.copy(frame, 4);
    return frame;
  },
  decode(chunks) {
    const frames = new FrameDecoder();
    let cost = 0;
    const isWanted = (bytes: Uint8Array, length: number): boolean => {
      cost += 1;
      const head = readHead(bytes);
      if (head.kind === 'other') return false;
      checkSize(head, length);
      return true;
    };
    for (const chunk of chunks) {
      frames.push(chunk);
      for (let frame = frames.next(isWanted); frame !== undefined; frame = frames.next(isWanted))
        cost += sizeOf(decodeMessage(frame));
    }
    return cost;
  },
};

export const DECODERS: readonly FuzzedDecoder[] = [resp, http, metrics, nodes, info, mesh];

function bulk(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`$${body.length}\r\n`), body, Buffer.from('\r\n')]);
}
