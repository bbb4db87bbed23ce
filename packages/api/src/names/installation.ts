// Namespace and object names of an operator that is installed as in config/base.

export const OPERATOR_NAMESPACE = 'marekvs-system';
/** Its ServiceAccount. */
export const OPERATOR_ACCOUNT = 'marekvs-operator';
/** The lease of the replica that leads alone, or that coordinates replicas that share. */
export const OPERATOR_LEASE = 'marekvs-operator';
