// Which operations have a proof that this process has made? The times in any other were written by a clock that
// nobody here can hold against its own: an hour ahead, it looks young to whoever starts an hour later. Lost in a
// restart, which costs one more proof.

export interface ProvenHere {
  /** This process has made a proof for the operation, and stored it. */
  note(clusterKey: string, operationId: string): void;
  has(clusterKey: string, operationId: string | undefined): boolean;
  /** Whatever is stored from now on, others may have stored. */
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
