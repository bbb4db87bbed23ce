// Answers: which volume claim belongs to a node for ever?

import { ANNOTATIONS } from '../names/labels.ts';
import type { MarekvsNode } from './node.ts';

/** The UID of the only claim that its member starts on (docs/design/server.md#h2): the one it was seen with, or was
 *  made for. Undefined while it has none yet. */
export function recordedVolume({ metadata, status }: Pick<MarekvsNode, 'metadata' | 'status'>): string | undefined {
  return status?.pvcUID ?? metadata.annotations?.[ANNOTATIONS.keptVolume];
}
