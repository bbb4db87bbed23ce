// Where a member listens: commands, the mesh between members, gossip, probes and metrics (docs/design/server.md#ports).

/** `gossip` is UDP, the others TCP. The same in every Pod we make; members that others run may listen elsewhere. */
export const MEMBER_PORTS = { resp: 6379, mesh: 7373, gossip: 7946, metrics: 9121 } as const;
