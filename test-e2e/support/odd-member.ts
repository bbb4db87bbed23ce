// A program for Pods that is a simulated member, except for the node ids to which ODD_MEMBERS gives another nature:
// `1=garbage,2=hang`. It reads the variables of marekvs-server; ODD_HOSTS_FILE, the testbed's replacement for cluster
// DNS; and ODD_PROGRAM, a member as one file.

import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';

/** What answers instead of a member:
 *  - `garbage`: a web server that knows nothing of marekvs and answers 200 to everything, probes included;
 *  - `error-500`: probes succeed, the metrics fail;
 *  - `hang`: probes succeed, everything else is accepted and never answered;
 *  - `dead-web`: a chunked 500 to everything, as from a proxy, probes included;
 *  - `noise`: bytes that are not HTTP. */
const NATURES = ['garbage', 'error-500', 'hang', 'dead-web', 'noise'] as const;
type Nature = (typeof NATURES)[number];

type Env = Readonly<Record<string, string | undefined>>;

const nature = natureOf(process.env.ODD_MEMBERS ?? '', process.env.MAREKVS_NODE_ID ?? '');
if (nature === undefined) {
  process.env.MAREKVS_SEEDS = seedsByName(process.env);
  process.env.SIMULATOR_HOSTS_FILE = process.env.ODD_HOSTS_FILE;
  await import(process.env.ODD_PROGRAM ?? '@marekvs/simulator/member');
} else {
  serve(nature, process.env);
  process.once('SIGTERM', () => process.exit(0));
}

/** @throws Error for an unknown nature */
function natureOf(text: string, id: string): Nature | undefined {
  const entry = text.split(',').find((one) => one.startsWith(`${id}=`));
  if (entry === undefined) return undefined;
  const found = NATURES.find((one) => entry === `${id}=${one}`);
  if (found === undefined) throw new Error(`ODD_MEMBERS: ${entry}; know ${NATURES.join(', ')}`);
  return found;
}

/** The kubelet resolves the headless name only once for this program, but the simulated member looks it up again and
 *  again, like a real one. */
function seedsByName(env: Env): string {
  const [namespace, name] = (env.MAREKVS_CLUSTER ?? '').split('.');
  return [env.MAREKVS_SEEDS ?? '', `${name}-headless.${namespace}.svc:7946`].filter((seed) => seed !== '').join(',');
}

function serve(kind: Nature, env: Env): void {
  const metrics = addressOf(env.MAREKVS_METRICS_ADDR);
  if (kind === 'noise') {
    createTcpServer((socket) => socket.on('error', () => undefined).end(Buffer.from([0, 255, 13, 10, 7, 7]))).listen(
      metrics,
    );
    return;
  }
  createHttpServer((request, response) => answer(kind, request.url ?? '', response)).listen(metrics);
  // Accepts connections and never answers.
  if (kind === 'hang')
    createTcpServer((socket) => socket.on('error', () => undefined)).listen(addressOf(env.MAREKVS_RESP_ADDR));
}

function answer(kind: Exclude<Nature, 'noise'>, path: string, response: ServerResponse): void {
  if (kind === 'garbage') response.end('<html><body>It works!</body></html>');
  else if (kind === 'dead-web') response.writeHead(500).end('out of order');
  else if (path === '/alive' || path === '/ready') response.end(path.slice(1));
  else if (kind === 'error-500') response.writeHead(500, { 'content-length': 0 }).end();
}

function addressOf(text: string | undefined): { readonly host: string; readonly port: number } {
  const [host, port] = (text ?? '').split(':');
  if (host === undefined || port === undefined) throw new Error(`no address: ${text}`);
  return { host, port: Number(port) };
}
