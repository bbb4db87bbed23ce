// Plugins of esbuild, and what else bundles have in common.

import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const FOLDER = join(import.meta.dirname, 'bundle');
/** What KubeConfig imports to make requests itself, over proxies or with providers that our reader refuses by name. */
const UNUSED_BY_KUBECONFIG =
  /^(undici|socks|socks-proxy-agent|hpagent|\.\/gen\/index\.js|\.\/(azure|gcp|oidc)_auth\.js|\.\/middleware\.js)$/;

/** Packages that are CommonJS ask for Node's own modules with require, which a bundle in ESM has to begin with. */
export const REQUIRE_IN_ESM = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** For the reader of kubeconfigs (src/access/kube-config-read.ts): of @kubernetes/client-node only what that takes, 0.1
 *  of its 6.3 MB. */
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

/** Of prom-client not what sends metrics, joins those of several processes, or measures by itself. */
export const onlyOwnMetrics: Plugin = {
  name: 'only-own-metrics',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/lib\/(pushgateway|cluster|defaultMetrics)$/ }, ({ importer }) =>
      importer.includes('prom-client') ? { path: join(FOLDER, 'unused.ts'), sideEffects: false } : undefined,
    );
  },
};

/** Only kubeconfigs with a credential plugin start a program, and few commands of the plugin. */
export const childProcessLater: Plugin = {
  name: 'child-process-later',
  setup({ onResolve }) {
    onResolve({ filter: /^node:child_process$/ }, () => ({
      path: join(FOLDER, 'child-process.ts'),
      sideEffects: false,
    }));
  },
};

/** Asks for Node's own modules without an import. An import reads everything that a module exports, and thereby loads
 *  what Node itself leaves until it is asked for: behind `node:http` and `node:util` that is fetch, web streams and
 *  worker threads, 4 MiB that nothing here uses. Here, only the exports that are used are read. */
export const builtinsInPart: Plugin = {
  name: 'builtins-in-part',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      isBuiltin(path) && kind !== 'require-call' ? { path, namespace: 'builtin', sideEffects: false } : undefined,
    );
    onLoad({ filter: /./, namespace: 'builtin' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== 'default' && name !== 'module.exports');
      const read = (name: string): string => `/* @__PURE__ */ read(${JSON.stringify(name)})`;
      return {
        contents: [
          `const load = () => process.getBuiltinModule(${JSON.stringify(path)});`,
          'const read = (name) => load()[name];',
          'export default /* @__PURE__ */ load();',
          ...names.map((name) => `const its_${name} = ${read(name)};`),
          `export { ${names.map((name) => `its_${name} as ${name}`).join(', ')} };`,
        ].join('\n'),
      };
    });
  },
};
