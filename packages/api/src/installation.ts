// Where the operator is, and what its objects are called, unless somebody installs it otherwise: as in config/base.

export const OPERATOR_NAMESPACE = 'marekvs-system';
/** Its ServiceAccount. */
export const OPERATOR_ACCOUNT = 'marekvs-operator';
/** The lease of the one that leads: alone, or as the coordinator of those that share. */
export const OPERATOR_LEASE = 'marekvs-operator';
