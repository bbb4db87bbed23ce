// For whoever bundles the reader of kubeconfigs (src/kube-config-read.ts): of @kubernetes/client-node only what that
// takes, 0.1 of its 6.3 MB.

import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const FOLDER = join(import.meta.dirname, 'bundle');
/** What KubeConfig imports to make requests itself, over proxies or with providers that our reader refuses by name. */
const UNUSED_BY_KUBECONFIG =
  /^(undici|socks|socks-proxy-agent|hpagent|\.\/gen\/index\.js|\.\/(azure|gcp|oidc)_auth\.js|\.\/middleware\.js)$/;

/** A plugin of esbuild. */
export const onlyKubeConfig: Plugin = {
  name: 'only-kube-config',
  setup({ onResolve }) {
    onResolve({ filter: /^@kubernetes\/client-node$/ }, ({ importer }) =>
      importer.startsWith(FOLDER) ? undefined : { path: join(FOLDER, 'client-node.ts'), sideEffects: false },
    );
    onResolve({ filter: UNUSED_BY_KUBECONFIG }, ({ importer }) =>
      importer.includes('@kubernetes/client-node')
        ? { path: join(FOLDER, 'unused.ts'), sideEffects: false }
        : undefined,
    );
  },
};
