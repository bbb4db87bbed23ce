// Three settled members of one driver, as a contract is asked of them.

import type { ContentClient, MemberAddress, StoreClient } from '@marekvs/store-client';
import type { RawObserver } from './raw-observer.ts';

export interface Subject {
  readonly client: StoreClient;
  readonly contents: ContentClient;
  readonly address: (id: 1 | 2 | 3) => MemberAddress;
  /** Settles as `work` does, moving the subject's time meanwhile. */
  pass<T>(work: () => Promise<T>): Promise<T>;
  /** Says Hello as an observer to the member's mesh port; resolves when the member has heard it. */
  observe(id: 1 | 2 | 3): Promise<RawObserver>;
  stop(): Promise<void>;
}
