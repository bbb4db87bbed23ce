// docs/errors.md: everything a person can meet in a status, an event, a log line or a metric label, each with its
// paragraph.

import { REASONS, type Reason } from '@marekvs/api';
import { MESSAGES } from '@marekvs/api/reference';
import { EXIT_CODE } from '@marekvs/runtime';
import { REASON_GROUPS, REASON_GUIDE } from '../reasons/reason-guide.ts';
import { anchor, code, page, table } from '../text/markdown.ts';

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT_CODE, string>> = {
  clean: 'It was asked to stop: everything is finished, and the lease is released.',
  failure:
    'A part of it failed, or did not stop in time. It is started again; if it happens again, the last line of its log has the cause.',
  usage: 'A flag or the environment is wrong: a missing kubeconfig, a port in use. The line says which.',
  invariant:
    'A broken invariant or an unhandled rejection: continuing would be guessing. Please report it with the log.',
  ownershipLost: 'It lost the lease and cannot get it back. It is started again, and waits as a standby.',
  forbidden: 'Permissions are missing at start. The line names each one: apply the RBAC of this version.',
  configMismatch: 'The replicas have different configurations. Give all of them the same flags.',
};

export function errorsPage(): string {
  return page({
    title: 'Errors and reasons',
    source: 'packages/reference/src/reasons, and reasons.ts and messages.ts of packages/api',
    blocks: [
      'One code per reason, the same in conditions, events, log lines (`reason`) and metric labels. `<cluster>` stands for the name of a MarekvsCluster, `<node>` for that of a MarekvsNode, which is also the name of its Pod; `data-<node>` is its volume claim.',
      'To see what a cluster waits for, run `kubectl describe mkv <cluster> -n <namespace>` and look at the conditions and at `Status.Operation.Blocked`. Nothing is ever forced by a deadline.',
      ...REASON_GROUPS.map(({ title, reasons }) => {
        const links = reasons.map((reason) => `[${reason}](#${anchor(reason)})`);
        return `**${title}:** ${links.join(', ')}`;
      }),
      '**Others:** [refused objects](#refused-objects), [exit codes](#exit-codes)',
      ...REASON_GROUPS.flatMap(({ title, reasons }) => [`## ${title}`, ...reasons.flatMap(paragraph)]),
      '## Refused objects',
      'What the API server answers when an object breaks a rule. The message names the field and what would be right.',
      table(
        ['rule', 'message'],
        Object.entries(MESSAGES).map(([rule, message]) => [code(rule), message]),
      ),
      '## Exit codes',
      'These are the exit codes of the operator; the last line of its log says more.',
      table(
        ['code', 'meaning'],
        Object.entries(EXIT_CODE).map(([name, value]) => [
          String(value),
          EXIT_MEANINGS[name as keyof typeof EXIT_MEANINGS],
        ]),
      ),
    ],
  });
}

function paragraph(reason: Reason): readonly string[] {
  const { severity, description } = REASONS[reason];
  const { meanwhile, unblock, commands } = REASON_GUIDE[reason];
  const kind = severity === 'warning' ? '**Warning.** ' : '';
  return [
    `### ${reason}`,
    `${kind}${description}`,
    `*Meanwhile:* ${meanwhile}`,
    `*What ends it:* ${unblock}`,
    `\`\`\`sh\n${commands.join('\n')}\n\`\`\``,
  ];
}
