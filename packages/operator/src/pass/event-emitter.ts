// Records events about one of our objects.

import { API_VERSION, type ObjectMeta } from '@marekvs/api';
import type { EventInput, EventRecorder } from '@marekvs/runtime';

export type Emit = (type: EventInput['type'], reason: string, action: string, note: string) => void;

export function emitterFor(
  kind: 'MarekvsCluster' | 'MarekvsNode',
  { namespace, name, uid }: Pick<ObjectMeta, 'namespace' | 'name' | 'uid'>,
  recorder: EventRecorder,
): Emit {
  const regarding = { apiVersion: API_VERSION, kind, namespace, name, uid };
  return (type, reason, action, note) => recorder.record({ regarding, type, reason, action, note });
}
