// Answers: which operations have a proof of this process? Any other was dated by a clock that cannot be compared with
// ours: one that is an hour ahead makes a proof look young to an operator that starts an hour later. Lost in a restart,
// which costs one more proof.

export interface ProvenHere {
  /** This process has made a proof for the operation, and stored it. */
  note(clusterKey: string, operationId: string): void;
  has(clusterKey: string, operationId: string | undefined): boolean;
  /** Later records may be from another process. */
  forget(clusterKey: string): void;
}

export function createProvenHere(): ProvenHere {
  /** A cluster has one operation at a time. */
  const operations = new Map<string, string>();
  return {
    note: (clusterKey, operationId) => void operations.set(clusterKey, operationId),
    has: (clusterKey, operationId) => operationId !== undefined && operations.get(clusterKey) === operationId,
    forget: (clusterKey) => void operations.delete(clusterKey),
  };
}
