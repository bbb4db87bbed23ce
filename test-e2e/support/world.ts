// The surroundings of a journey: one testbed with the operator as its restricted user, and the journeys' own client.
// Members share a process, each with sockets of its own. A simulated member runs ten times as fast as a real one; the
// operator's own times are real.

import { type Testbed, type TestbedOptions, withTestbed } from '@marekvs/testbed';
import { createKube, type Kube } from './kube.ts';
import { createKubectl, type Kubectl } from './kubectl.ts';
import { createPatching, type Patching } from './patching.ts';
import { createWatching, type Watching } from './watching.ts';

export interface World {
  readonly testbed: Testbed;
  readonly kube: Kube;
  readonly kubectl: Kubectl;
  readonly watching: Watching;
  readonly patching: Patching;
}

/** @param hooks those of mocha, inside a `describe`
 *  @returns a function that gives the world once the suite has started */
export function withWorld(hooks: Parameters<typeof withTestbed>[0], options: TestbedOptions = {}): () => World {
  const testbed = withTestbed(hooks, { runner: 'hosted', speed: 10, operator: true, ...options });
  let world: World | undefined;
  return () => {
    world ??= worldOf(testbed());
    return world;
  };
}

/** The world around a testbed that was started in another way. */
export function worldOf(testbed: Testbed): World {
  const kube = createKube(testbed.kubeconfigs.admin);
  return {
    testbed,
    kube,
    kubectl: createKubectl(testbed),
    watching: createWatching(kube.config),
    patching: createPatching(kube.core),
  };
}
