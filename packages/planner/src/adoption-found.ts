// What a StatefulSet has to do with a cluster that is not formed, and what a node was made to take over from it. Found
// by live reads; what follows from it: adoption.ts.

import type { AdoptionRequest } from '@marekvs/api';
import type { Hold } from './hold.ts';

/** What a live read found of a cluster that is not formed.
 *  - `found`: the StatefulSet is there. `isOurs`: this very cluster controls it; `isAsked`: it is to be taken over, and
 *  has to be let go first.
 *  - `loose`: Pods of its name that nobody controls, and nothing shows what they are.
 *  - `unclear`: it was begun, and the request is gone or cannot be read.
 *  - `unread`: the API server refuses to tell.
 *  - `underWay`: requested, and the StatefulSet is gone. */
export type Adoption =
  | { readonly kind: 'found'; readonly isOurs: boolean; readonly isAsked: boolean }
  | { readonly kind: 'loose'; readonly pod: string }
  | { readonly kind: 'unclear' }
  | { readonly kind: 'unread'; readonly hold: Hold }
  | { readonly kind: 'underWay'; readonly request: AdoptionRequest };

/** Where a taken over node's member finds its data, and on which volume. */
export interface AdoptedData {
  readonly volumeUid: string;
  readonly dataDir: string;
}
