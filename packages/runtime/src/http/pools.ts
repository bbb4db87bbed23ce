// The connections: one pool for requests, one for watches, both HTTP/1.1. Built anew when the client certificate
// changes.
import type { Credentials } from '../access/credentials.ts';
import type { ClusterAccess } from '../access/kube-config.ts';
import { Pool } from './pool.ts';

export interface Pools {
  readonly requests: Pool;
  readonly watches: Pool;
}

export interface PoolLimits {
  readonly connections: number;
  readonly maxResponseBytes: number;
}

export interface PoolHolder {
  /** The pools for these credentials. Pools of an older certificate finish their requests and close. */
  of(credentials: Credentials): Pools;
  /** Cuts every connection. */
  destroy(): void;
}

/** The API server closes idle connections after 90 s; closing them a little earlier avoids requests on closed ones. */
const KEEP_ALIVE_MS = 80_000;
const CONNECT_TIMEOUT_MS = 10_000;
const TCP_KEEP_ALIVE_MS = 15_000;

type ClientCertificate = Credentials['clientCertificate'];

export function createPoolHolder(access: ClusterAccess, limits: PoolLimits): PoolHolder {
  let current: { readonly pools: Pools; readonly certificate: ClientCertificate } | undefined;
  /** Closed pools in which something may still be under way. */
  let retired: readonly Pool[] = [];

  function retire({ requests, watches }: Pools): void {
    for (const pool of [requests, watches]) pool.close();
    retired = [...retired, requests, watches].filter((pool) => !pool.isOver);
  }

  return {
    of(credentials) {
      if (current !== undefined && isSame(current.certificate, credentials.clientCertificate)) return current.pools;
      if (current !== undefined) retire(current.pools);
      const pools = openPools(access, credentials.clientCertificate, limits);
      current = { pools, certificate: credentials.clientCertificate };
      return pools;
    },
    destroy() {
      const pools = [...retired, ...(current === undefined ? [] : [current.pools.requests, current.pools.watches])];
      for (const pool of pools) pool.destroy();
    },
  };
}

function openPools(access: ClusterAccess, certificate: ClientCertificate, limits: PoolLimits): Pools {
  const shared = {
    keepAliveMs: KEEP_ALIVE_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    tcpKeepAliveMs: TCP_KEEP_ALIVE_MS,
    tls: {
      ...(access.ca === undefined ? {} : { ca: access.ca }),
      ...(access.tlsServerName === undefined ? {} : { servername: access.tlsServerName }),
      ...(access.skipTlsVerify === true ? { rejectUnauthorized: false } : {}),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
    },
  };
  return {
    requests: new Pool(access.server.origin, {
      ...shared,
      connections: limits.connections,
      maxResponseBytes: limits.maxResponseBytes,
    }),
    // A connection per watch, up to eight a namespace: a watch that had to wait for another would never be opened.
    watches: new Pool(access.server.origin, { ...shared, connections: Number.POSITIVE_INFINITY }),
  };
}

function isSame(a: ClientCertificate, b: ClientCertificate): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return a.cert.toString() === b.cert.toString() && a.key.toString() === b.key.toString();
}
