// Writes recorded events through the client. The other half, what is worth telling and how often, is events.ts.
import type { KubeClient } from './client.ts';
import { isAlreadyExists, isNamespaceTerminating } from './errors.ts';
import type { WriteEvent } from './events.ts';
import { events } from './kinds.ts';

/** A name that is taken is the same event from before a restart; a namespace that is going away wants no more events. Neither is a failure. */
export function createEventWriter(client: Pick<KubeClient, 'create'>): WriteEvent {
  return async (event, signal) => {
    try {
      await client.create(events, event, { signal });
    } catch (error) {
      if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
    }
  };
}
