// Who this program says it is: to people with --version, to API servers as User-Agent.

export const PLUGIN = 'kubectl-mkv';
/** The version in package.json, which is not shipped beside the bundle; a test compares the two. */
export const VERSION = '0.1.0';
