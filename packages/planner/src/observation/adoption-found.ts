// What live reads find of a StatefulSet under the name of a cluster that is not formed, and what a node was made to
// take over from it. adoption.ts decides what follows.

import type { AdoptionRequest } from '@marekvs/api';
import type { Hold } from '../values/hold.ts';

/** What a live read found for a cluster that is not formed.
 *  - `found`: the StatefulSet exists. `isOurs`: this very cluster controls it; `isAsked`: its takeover is requested,
 *  and it has to be let go first.
 *  - `loose`: Pods of its name without a controller, and nothing shows what they are.
 *  - `unclear`: a takeover was begun, and the request is gone or cannot be read.
 *  - `unread`: the API server refuses to tell.
 *  - `underWay`: requested, and the StatefulSet is gone. */
export type Adoption =
  | { readonly kind: 'found'; readonly isOurs: boolean; readonly isAsked: boolean }
  | { readonly kind: 'loose'; readonly pod: string }
  | { readonly kind: 'unclear' }
  | { readonly kind: 'unread'; readonly hold: Hold }
  | { readonly kind: 'underWay'; readonly request: AdoptionRequest };

/** The volume of a member that was taken over, and where its data is on it. */
export interface AdoptedData {
  readonly volumeUid: string;
  readonly dataDir: string;
}
