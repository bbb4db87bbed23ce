// Everything that can go wrong, as one line that says what was tried and what to do next. Never a stack trace.

import {
  ApiError,
  ConfigError,
  errorText,
  isConflict,
  isForbidden,
  isNotFound,
  isUnauthorized,
  TransportError,
} from '@marekvs/runtime';

/** How a command ended, as a number, for scripts. Documented in every --help. */
export const EXIT = {
  fine: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  blocked: 4,
  noPermission: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `
Exit codes:
  0  fine
  1  failed: no answer, or the answer was no
  2  wrong usage: flags, arguments, kubeconfig
  3  not found
  4  blocked: somebody has to act before it goes on, or a rule forbids it
  5  no permission`;

/** An end that a command decided on. `next` is the step that helps, if possible a command to type. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly next: string | undefined;
  constructor(exitCode: ExitCode, message: string, next?: string) {
    super(message);
    this.exitCode = exitCode;
    this.next = next;
  }
}

const ending = (exitCode: ExitCode) => (message: string, next?: string) => new CliError(exitCode, message, next);

export const blocked = ending(EXIT.blocked);
export const notFound = ending(EXIT.notFound);
export const failed = ending(EXIT.failed);
export const wrongUsage = ending(EXIT.usage);

/** A member could not be reached over a forwarded port. @param what was tried: `cannot reach demo-0` */
export function notForwarded(what: string, namespace: string | undefined, error: unknown): CliError {
  const next = `kubectl auth can-i create pods --subresource=portforward -n ${namespace} tells whether you may`;
  return failed(`${what}: ${errorText(error)}`, next);
}

export interface Failure {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly next: string | undefined;
}

const CHOOSE_CONTEXT =
  'choose a file with --kubeconfig or KUBECONFIG, and one of its contexts with --context (kubectl config get-contexts)';

/** What to print of an error, and how to end. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CliError) return error;
  if (error instanceof ConfigError) return { exitCode: EXIT.usage, message: error.message, next: CHOOSE_CONTEXT };
  if (error instanceof ApiError) return apiFailure(error);
  if (error instanceof TransportError)
    return { exitCode: EXIT.failed, message: error.message, next: transportNext(error) };
  return {
    exitCode: EXIT.failed,
    message: `unexpected: ${errorText(error)}`,
    next: 'set MKV_DEBUG=1 for the stack and report it',
  };
}

function apiFailure(error: ApiError): Failure {
  const failure = (exitCode: ExitCode, next: string | undefined): Failure => ({
    exitCode,
    message: error.message,
    next,
  });
  if (isUnauthorized(error)) return failure(EXIT.noPermission, 'log in again, or choose another --context');
  if (isForbidden(error)) {
    return isLackOfPermission(error)
      ? failure(
          EXIT.noPermission,
          `ask for the permission; kubectl auth can-i ${error.verb} ${resourceIn(error)} tells when you have it`,
        )
      : failure(EXIT.blocked, 'a policy or quota of the namespace says no: change what it names');
  }
  if (isNotFound(error)) return failure(EXIT.notFound, notFoundNext(error));
  if (isConflict(error)) return failure(EXIT.failed, 'it was changed at the same moment: run the command again');
  if (error.status === 422) return failure(EXIT.blocked, 'the API server refuses the change: correct what it names');
  return failure(EXIT.failed, error.status >= 500 ? 'try again in a moment' : undefined);
}

/** A 403 of RBAC says who cannot do what; every other 403 comes from admission. */
export function isLackOfPermission(error: ApiError): boolean {
  return error.status === 403 && /cannot [a-z]+ resource/.test(error.message);
}

/** Whether this object is missing. A 404 without its name in quotes means that its kind is: the definitions are not
 *  installed. */
export function isObjectMissing(error: unknown, name: string): boolean {
  return isNotFound(error) && error instanceof Error && error.message.includes(`"${name}"`);
}

function notFoundNext({ message, path }: ApiError): string {
  if (path.includes('/marekvs.io/') && !message.includes('"'))
    return 'install the definitions: kubectl apply -k config/crd';
  return 'kubectl mkv status -A lists every cluster you may see';
}

function resourceIn({ path }: ApiError): string {
  const parts = (path.split('?')[0] ?? '').split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const group = parts[0] === 'api' ? '' : `.${parts[1]}`;
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [plural = '', , subresource] = isNamespaced ? rest.slice(2) : rest;
  const part = subresource === undefined ? '' : ` --subresource=${subresource}`;
  return `${plural}${group}${part}${isNamespaced ? ` -n ${rest[1]}` : ''}`;
}

function transportNext({ phase }: TransportError): string {
  if (phase === 'credentials') return 'log in again, or choose another --context';
  return phase === 'connect'
    ? 'check the address of the context and the network: kubectl cluster-info'
    : 'try again in a moment';
}
