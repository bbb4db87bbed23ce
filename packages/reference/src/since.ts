// Since which version a field is there. What is not named here is there since the first.

export const FIRST_VERSION = '0.1.0';

/** By kind and path, such as `MarekvsCluster spec.nodes`. A test finds every one of them in the schemas. */
export const LATER_FIELDS: Readonly<Record<string, string>> = {};
