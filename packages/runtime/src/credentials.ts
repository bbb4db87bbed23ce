// Who we are to the API server, and how that stays fresh: a fixed value, files that are rotated, or an exec plugin.
// Nothing in here is ever logged or put into the text of an error.
import { readFile } from 'node:fs/promises';
import type { Clock } from './clock.ts';
import { withTimeLimit } from './time-limit.ts';

/** What goes into a request (the header) and into a TLS handshake (the client certificate). */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly clientCertificate: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
}

export interface CredentialSource {
  /** The credentials of now; from memory unless they are due to be read again. */
  get(): Promise<Credentials>;
  /** They were refused (401): loads them again. @throws when that fails */
  refresh(): Promise<void>;
}

/** Where each part comes from; a file wins over a value. */
export interface CredentialParts {
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly basic?: { readonly username: string; readonly password: string } | undefined;
  readonly cert?: Buffer | undefined;
  readonly certFile?: string | undefined;
  readonly key?: Buffer | undefined;
  readonly keyFile?: string | undefined;
}

/** Projected tokens live an hour and are renewed at 80 % of that: a minute is often enough, and is what client-go
 *  does. */
const FILE_MAX_AGE_MS = 60_000;
/** The plugin's own expiry is kept by its loader; this only bounds how often it is asked. */
const EXEC_MAX_AGE_MS = 10_000;
const LOAD_LIMIT_MS = 30_000;

export function createStaticCredentials(credentials: Credentials): CredentialSource {
  return { get: async () => credentials, refresh: async () => undefined };
}

/** Tokens and certificates from values and files. Files are read again after a minute, when somebody
 *  asks, and after a refusal. */
export function createPartsCredentials(parts: CredentialParts, clock: Clock): CredentialSource {
  return createReloadingCredentials(() => readParts(parts), { clock, maxAgeMs: FILE_MAX_AGE_MS });
}

/** @param startPlugin a plugin runner without memory: called anew after a refusal, its result asked for
 *  the credentials until then */
export function createExecCredentials(
  startPlugin: () => Promise<() => Promise<Credentials>>,
  clock: Clock,
): CredentialSource {
  let plugin: Promise<() => Promise<Credentials>> | undefined;
  const source = createReloadingCredentials(
    async () => {
      plugin ??= startPlugin();
      return await (await plugin)();
    },
    { clock, maxAgeMs: EXEC_MAX_AGE_MS },
  );
  return {
    get: source.get,
    refresh() {
      plugin = undefined;
      return source.refresh();
    },
  };
}

/** Keeps what `load` returned for `maxAgeMs`. One load at a time, however many ask. When a reload fails the old value
 *  is used on: it may still be good, and if it is not the server says so. */
export function createReloadingCredentials(
  load: () => Promise<Credentials>,
  { clock, maxAgeMs }: { readonly clock: Clock; readonly maxAgeMs: number },
): CredentialSource {
  let current: { readonly value: Credentials; readonly atMs: number } | undefined;
  let loading: Promise<Credentials> | undefined;

  function reload(): Promise<Credentials> {
    loading ??= withTimeLimit(clock, LOAD_LIMIT_MS, load)
      .then((value) => {
        current = { value, atMs: clock.steadyMs() };
        return value;
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  }

  return {
    async get() {
      if (current === undefined) return await reload();
      if (clock.steadyMs() - current.atMs < maxAgeMs) return current.value;
      const stale = current.value;
      return await reload().catch(() => stale);
    },
    async refresh() {
      await reload();
    },
  };
}

async function readParts(parts: CredentialParts): Promise<Credentials> {
  const read = (file: string | undefined, value: Buffer | undefined): Promise<Buffer | undefined> =>
    file === undefined ? Promise.resolve(value) : readFile(file);
  const [token, cert, key] = await Promise.all([
    parts.tokenFile === undefined ? parts.token : readFile(parts.tokenFile, 'utf8'),
    read(parts.certFile, parts.cert),
    read(parts.keyFile, parts.key),
  ]);
  return {
    authorization: toAuthorization(token, parts.basic),
    clientCertificate: cert === undefined || key === undefined ? undefined : { cert, key },
  };
}

/** A header must not carry the line feed that most token files end with. */
function toAuthorization(token: string | undefined, basic: CredentialParts['basic']): string | undefined {
  if (token !== undefined && token.trim() !== '') return `Bearer ${token.trim()}`;
  if (basic === undefined) return undefined;
  return `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
}
