// Credentials for the API server and how they stay fresh: a fixed value, files that are rotated, or an exec plugin.
// Nothing in here is ever logged or put into the text of an error.
import { readFile } from 'node:fs/promises';
import type { Clock } from '../time/clock.ts';
import { withTimeLimit } from '../time/time-limit.ts';

/** What goes into a request (the header) and into a TLS handshake (the client certificate). */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly clientCertificate: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
}

export interface CredentialSource {
  /** The current credentials, from memory unless they are due for a reload. */
  get(): Promise<Credentials>;
  /** Reloads the credentials after a refusal (401). @throws when the reload fails */
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

/** Projected tokens live an hour and are renewed at 80 % of that: a reload a minute suffices, as in client-go. */
const FILE_MAX_AGE_MS = 60_000;
/** The plugin runner honours the credential's own expiry; this only bounds how often the runner is asked. */
const EXEC_MAX_AGE_MS = 10_000;
const LOAD_LIMIT_MS = 30_000;

export function createStaticCredentials(credentials: Credentials): CredentialSource {
  return { get: async () => credentials, refresh: async () => undefined };
}

/** Tokens and certificates from values and files. Files are reread after a refusal, and by a `get` after a minute. */
export function createPartsCredentials(parts: CredentialParts, clock: Clock): CredentialSource {
  return createReloadingCredentials(() => readParts(parts), { clock, maxAgeMs: FILE_MAX_AGE_MS });
}

/** @param startPlugin starts a plugin runner with an empty cache. That runner provides the credentials until they are
 *  refused; then a new one is started */
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

/** Caches what `load` returned for `maxAgeMs`; concurrent callers share one load. When a reload fails, `get` returns
 *  the old value: it may still be good, and if it is not, the server says so. */
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
