// What one member answered when it was last asked.

import type { PasswordSource } from '../values/password-source.ts';
import type { ViewLine } from '../values/view-line.ts';

/** What one member answered when it was last asked.
 *  - `notAsked`: no sample of this Pod yet (a new address, or the operator has just started).
 *  - `silent`: asked without a usable answer since `sinceMs`; `isInvalid`: something answered that is not marekvs.
 *  - `joining`: its metrics port answers, it does not serve commands yet.
 *  - `serving`: it serves commands and showed its list of members.
 *  - `sealed`: its metrics port answers. No client can reach it, and we cannot ask it for its list either. */
export type MemberAnswer =
  | { readonly kind: 'notAsked' }
  | {
      readonly kind: 'silent';
      readonly sinceMs: number;
      readonly error: string;
      readonly isInvalid: boolean;
      /** The member answers, but accepts none of the known passwords. */
      readonly isLocked?: true;
    }
  | { readonly kind: 'joining'; readonly sinceMs: number }
  | { readonly kind: 'sealed'; readonly sinceMs: number }
  | {
      readonly kind: 'serving';
      readonly atMs: number;
      /** Monotonic: when the list it shows was requested. A brief probe keeps the earlier list. */
      readonly viewAtMs: number;
      readonly view: readonly ViewLine[];
      /** Of its whole CLUSTER NODES answer, slot ranges included: equal on members with the same placement
       *  (docs/design/server.md#cluster-commands). */
      readonly digest: string;
      /** Its own metrics say that its disk is full: it refuses the writes of clients. */
      readonly isWriteStopped?: true;
      /** It still accepts the previous password of the Secret, not the present one. */
      readonly hasOldPassword?: true;
      /** It accepted our password when last asked for its list, so it requires one. Absent: it answers everybody. */
      readonly isGuarded?: true;
      /** Where the password it accepted is, or was. */
      readonly wants?: PasswordSource;
    };
