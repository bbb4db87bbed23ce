// A foreign controller that wants one of our objects to be different: it sets back at once what the operator sets
// (F18).

import { Watch } from '@kubernetes/client-node';
import type { Kube } from './kube.ts';
import { createPatching } from './patching.ts';
import { corePath } from './paths.ts';
import type { Seen } from './seen.ts';

export interface ServiceSeen extends Seen {
  readonly spec: { readonly selector?: Readonly<Record<string, string>> };
}

export interface ForeignController {
  /** How often it has changed the object so far. */
  rounds(): number;
  /** Resolves when no change by it is under way any more. */
  stop(): Promise<void>;
}

/** Keeps one Service as `patch` makes it. `isAsWished` tells whether it already is. */
export async function holdService(
  { config, core }: Kube,
  namespace: string,
  name: string,
  isAsWished: (service: ServiceSeen) => boolean,
  patch: object,
): Promise<ForeignController> {
  const patching = createPatching(core);
  let rounds = 0;
  let isStopped = false;
  let work: Promise<void> = Promise.resolve();
  const watch = await new Watch(config).watch(
    corePath(namespace, 'services'),
    { fieldSelector: `metadata.name=${name}` },
    (type: string, service: ServiceSeen) => {
      if (type === 'DELETED' || isStopped || isAsWished(service)) return;
      work = work.then(async () => {
        if (isStopped) return;
        rounds += 1;
        await patching.service(namespace, name, patch);
      });
    },
    () => undefined,
  );
  return {
    rounds: () => rounds,
    async stop() {
      isStopped = true;
      watch.abort();
      await work;
    },
  };
}
