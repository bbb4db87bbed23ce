// How a command ended, as a number, for scripts. Documented in every --help.

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
