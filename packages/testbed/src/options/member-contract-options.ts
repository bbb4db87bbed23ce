// The command line of `npm run member-contract`. Pure.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface ContractOptions {
  /** Of the members with the ids 1, 2 and 3. */
  readonly hosts: readonly string[];
  readonly passwordFile: string | undefined;
}

export const CONTRACT_USAGE = `usage: npm run member-contract -- --member-address <ip>,<ip>,<ip> [--password-file <file>]

Asks three running members what the simulated ones answer in the tests: readiness, views, placement, INFO, writes, contents and a drain.

  --member-address <ip,ip,ip>  members with the ids 1, 2 and 3 of one cluster of three, at their usual ports (6379, 7373, 9121).
                               Use a cluster made for this: member 3 is drained, and keys are written whose
                               names begin with "contract"; nobody else may write or compare contents meanwhile
  --password-file <file>       what the members want from clients
  --help                       this text
`;

const MEMBERS = 3;

export function parseContractOptions(args: readonly string[]): ContractOptions | 'help' | { readonly problem: string } {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  if (values.help) return 'help';
  const hosts = (values['member-address'] ?? '').split(',');
  if (hosts.length !== MEMBERS || new Set(hosts).size !== MEMBERS || hosts.some((host) => isIP(host) === 0))
    return { problem: `--member-address: want ${MEMBERS} different IP addresses, separated by commas` };
  const file = values['password-file'];
  return { hosts, passwordFile: file === undefined ? undefined : resolve(file) };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      'member-address': { type: 'string' },
      'password-file': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}
