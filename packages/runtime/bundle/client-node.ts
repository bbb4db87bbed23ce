// Of @kubernetes/client-node the bundle needs what reads a kubeconfig, not the 2 MB of generated API around it.
// Its loadYaml would turn the config into a typed object with that API; it is used on kubeconfigs only, where
// plain YAML is what is wanted.

export { KubeConfig } from '@kubernetes/client-node/dist/config.js';
export { load as loadYaml } from 'js-yaml';
