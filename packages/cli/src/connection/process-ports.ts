// The ports of a real process: its streams, its terminal, files, and the API server of the kubeconfig.

import { open, writeFile } from 'node:fs/promises';
import { createClient, createTransport, loadClusterAccess, systemClock } from '@marekvs/runtime';
import { CliError, wrongUsage } from './errors.ts';
import type { CliPorts, Connection, ConnectOptions, Output } from './ports.ts';
import { forwardPort } from './process-forward.ts';
import { PLUGIN, VERSION } from './version.ts';

const USER_AGENT = `${PLUGIN}/${VERSION}`;
const REQUEST_LIMIT_MS = 15_000;

export function processPorts(signal: AbortSignal): CliPorts {
  return {
    out: output(process.stdout),
    err: output(process.stderr),
    env: process.env,
    nowMs: () => Date.now(),
    delay: (ms) => systemClock.delay(ms, signal),
    connect,
    readFile: readBounded,
    writeFile: (path, bytes) => writeFile(path, bytes, { flag: 'wx', mode: 0o600 }),
    forward: forwardPort,
    readHttp,
    ask: process.stdin.isTTY === true ? (question) => ask(question, signal) : undefined,
    signal,
  };
}

function output(stream: NodeJS.WriteStream): Output {
  return {
    write: (text) => void stream.write(text),
    isTty: stream.isTTY === true,
    get columns() {
      return columnsOf(process.env.COLUMNS) ?? (stream.isTTY === true ? stream.columns : undefined);
    },
    get rows() {
      return stream.isTTY === true ? stream.rows : undefined;
    },
  };
}

/** COLUMNS: a shell that exports it wants it to be used, on a terminal and elsewhere. */
function columnsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;
}

async function connect({ kubeconfig, context }: ConnectOptions): Promise<Connection> {
  const access = await loadClusterAccess({ kubeconfig, context });
  const transport = createTransport(access, {
    userAgent: USER_AGENT,
    connections: 4,
    timeoutMs: REQUEST_LIMIT_MS,
    throttleRetries: 1,
  });
  return {
    client: createClient(transport, { fieldValidation: 'Strict' }),
    transport,
    namespace: access.namespace,
    close: () => transport.close(),
  };
}

async function readBounded(path: string, maxBytes: number): Promise<string> {
  const file = path === '-' ? undefined : await open(path).catch((error: unknown) => unreadable(path, error));
  const source = file?.createReadStream() ?? process.stdin;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw wrongUsage(`${path} is larger than ${maxBytes >> 20} MiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    unreadable(path, error);
  } finally {
    await file?.close();
  }
  return Buffer.concat(chunks).toString('utf8');
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
};

function unreadable(path: string, error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  throw wrongUsage(
    `${path} cannot be read: ${UNREADABLE[code] ?? code}`,
    'name the file with -f, or - for the standard input',
  );
}

async function readHttp(url: string, maxBytes: number, signal: AbortSignal): Promise<string> {
  const { get } = await import('node:http');
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal }, (response) => {
      if (response.statusCode !== 200) request.destroy(new Error(`${url} answers ${response.statusCode}`));
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) request.destroy(new Error(`${url} answers more than ${maxBytes >> 20} MiB`));
        else chunks.push(chunk);
      });
      response.once('error', reject);
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    request.once('error', reject);
  });
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const line = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await line.question(question, { signal })).trim();
  } finally {
    line.close();
  }
}
