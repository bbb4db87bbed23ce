// Who this program says it is: to people with --version, to API servers as User-Agent.

export const PLUGIN = 'kubectl-mkv';
/** That of package.json, which the bundle does not have beside it; a test compares them. */
export const VERSION = '0.1.0';
