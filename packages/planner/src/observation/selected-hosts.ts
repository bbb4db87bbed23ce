// What is known of the hosts that spec.hosts.onePerHost selects. Read by the operator; one-per-host.ts decides what
// follows.

/** A host with the labels, as a watch of exactly these shows it. */
export interface SelectedHost {
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly taints: readonly HostTaint[];
}

export interface HostTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export type SelectedHosts =
  | { readonly kind: 'known'; readonly hosts: ReadonlyMap<string, SelectedHost> }
  /** The hosts cannot be read; `why` as half a sentence. */
  | { readonly kind: 'unknown'; readonly why: string };
