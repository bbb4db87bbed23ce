// What was irrevocably deleted, by whom, by the audit log of the API server and not by the operator's log.

import { OPERATOR_USER, type Testbed } from '@marekvs/testbed';

export interface DeleteLog {
  /** Names of the MarekvsNodes that anybody acting as the operator has deleted since, in order; one entry per
   *  DELETE that was carried out. */
  nodes(namespace: string): Promise<readonly string[]>;
  /** The same for volume claims. */
  claims(namespace: string): Promise<readonly string[]>;
}

/** Begins to count now. Two operators of one testbed are one user. */
export async function followDeletes(testbed: Testbed): Promise<DeleteLog> {
  const audit = await testbed.auditReader(OPERATOR_USER);
  const seen: { readonly resource: string; readonly namespace: string; readonly name: string }[] = [];
  const of = async (resource: string, namespace: string): Promise<readonly string[]> => {
    const { requests } = await audit.read();
    seen.push(...requests.filter(({ verb, code }) => verb === 'delete' && code < 300));
    return seen.filter((one) => one.resource === resource && one.namespace === namespace).map(({ name }) => name);
  };
  return {
    nodes: (namespace) => of('marekvsnodes', namespace),
    claims: (namespace) => of('persistentvolumeclaims', namespace),
  };
}
