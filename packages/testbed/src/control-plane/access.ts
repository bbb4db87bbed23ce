// How the testbed itself talks to its API server: the runtime's transport with credentials that are in memory already.
import { type ClusterAccess, createStaticCredentials, createTransport, type Transport } from '@marekvs/runtime';

export interface ApiCredentials {
  /** https://host:port */
  readonly server: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export function toClusterAccess({ server, caPem, certPem, keyPem }: ApiCredentials): ClusterAccess {
  return {
    server: new URL(server),
    ca: caPem,
    credentials: createStaticCredentials({
      authorization: undefined,
      clientCertificate: { cert: certPem, key: keyPem },
    }),
    namespace: 'default',
    describe: `testbed at ${server}`,
  };
}

/** @param userAgent who it is in the audit log, beside the user name */
export function connect(credentials: ApiCredentials, userAgent: string): Transport {
  return createTransport(toClusterAccess(credentials), { userAgent, connections: 16 });
}
