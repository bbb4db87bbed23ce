// Three settled members of one driver, on which the contract is tested.

import { MEMBER_PORTS } from '@marekvs/api';
import type { ContentClient, MemberAddress, StoreClient } from '@marekvs/store-client';
import type { RawObserver } from './raw-observer.ts';

export interface Subject {
  readonly client: StoreClient;
  readonly contents: ContentClient;
  readonly address: (id: 1 | 2 | 3) => MemberAddress;
  /** A GET on its metrics port, like one of the kubelet: status and body. */
  get(id: 1 | 2 | 3, path: string): Promise<readonly [number | undefined, string | undefined]>;
  /** Settles like `work`, and moves the subject's time meanwhile. */
  pass<T>(work: () => Promise<T>): Promise<T>;
  /** Says Hello as an observer to the member's mesh port; resolves when the member has heard it. */
  observe(id: 1 | 2 | 3): Promise<RawObserver>;
  stop(): Promise<void>;
}

/** The same over a socket. */
export async function getOver(host: string, path: string): Promise<readonly [number, string]> {
  const answer = await fetch(`http://${host}:${MEMBER_PORTS.metrics}${path}`);
  return [answer.status, await answer.text()];
}
