// The version in which a field was added. Fields that are not named here exist since the first version.

export const FIRST_VERSION = '0.1.0';

/** By kind and path, such as `MarekvsCluster spec.nodes`. A test checks that the schemas have every one of them. */
export const LATER_FIELDS: Readonly<Record<string, string>> = {};
