// What a person reads when a command cannot even begin: one line with the step that helps. With the real reader of
// kubeconfigs.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { processPorts } from '../src/connection/process-ports.ts';
import { EXIT, runCli } from '../src/index.ts';

async function run(...argv: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const stream = (into: string[]) => ({
    write: (text: string) => void into.push(text),
    isTty: false,
    columns: 80,
    rows: undefined,
  });
  const ports = { ...processPorts(new AbortController().signal), out: stream(out), err: stream(err) };
  const code = await runCli(argv, ports);
  return { code, out: out.join(''), err: err.join('') };
}

describe('an error before any request', () => {
  let folder = '';
  const file = (name: string) => join(folder, name);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mkv-errors-'));
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token: 'none' } }],
    };
    writeFileSync(file('config'), JSON.stringify(config));
    writeFileSync(file('broken'), '{');
  });
  after(() => rmSync(folder, { recursive: true }));

  const CHOOSE = /Next: choose a file with --kubeconfig or KUBECONFIG, and one of its contexts with --context/;
  const table: readonly {
    readonly title: string;
    readonly argv: () => readonly string[];
    readonly code: number;
    readonly says: readonly RegExp[];
  }[] = [
    {
      title: 'a kubeconfig that does not exist',
      argv: () => ['status', '--kubeconfig', file('none')],
      code: EXIT.usage,
      says: [/none does not exist/, CHOOSE],
    },
    {
      title: 'a file that is not a kubeconfig',
      argv: () => ['status', '--kubeconfig', file('broken')],
      code: EXIT.usage,
      says: [/broken: /, CHOOSE],
    },
    {
      title: 'a context that does not exist',
      argv: () => ['status', '--kubeconfig', file('config'), '--context', 'there'],
      code: EXIT.usage,
      says: [/no context named there; there are: here/, CHOOSE],
    },
    {
      title: 'a server that does not answer',
      argv: () => ['status', '--kubeconfig', file('config')],
      code: EXIT.failed,
      says: [/list marekvsclusters in default: could not connect/, /Next: check the address of the context/],
    },
    {
      title: 'a manifest that does not exist',
      argv: () => ['validate', '-f', file('none.yaml')],
      code: EXIT.usage,
      says: [/none\.yaml cannot be read: there is no such file/, /Next: name the file with -f/],
    },
    {
      title: 'a folder instead of a manifest',
      argv: () => ['validate', '-f', folder],
      code: EXIT.usage,
      says: [/cannot be read: it is a folder/, /Next: name the file with -f/],
    },
    {
      title: 'an unknown verb',
      argv: () => ['statsu'],
      code: EXIT.usage,
      says: [/unknown command 'statsu' \(Did you mean status\?\)/, /Next: kubectl mkv --help/],
    },
    {
      title: 'a verb without the word it belongs to, whatever looks like it',
      argv: () => ['retry'],
      code: EXIT.usage,
      says: [/unknown command 'retry' \(Did you mean kubectl mkv rollout retry\?\)\. Next: kubectl mkv --help/],
    },
    {
      title: 'a verb of a word that is not there',
      argv: () => ['rollout', 'restrat'],
      code: EXIT.usage,
      says: [/unknown command 'restrat' \(Did you mean restart\?\)\. Next: kubectl mkv rollout --help/],
    },
    {
      title: 'a verb that stands without the word before it',
      argv: () => ['rollout', 'scale'],
      code: EXIT.usage,
      says: [/unknown command 'scale' \(Did you mean kubectl mkv scale\?\)/],
    },
    {
      title: 'a word too many',
      argv: () => ['status', 'a', 'b'],
      code: EXIT.usage,
      says: [/too many arguments for 'status'\. Expected 1 argument but got 2: a, b\. Next: /],
    },
    {
      title: 'an unknown shell',
      argv: () => ['completion', 'tcsh'],
      code: EXIT.usage,
      says: [/no completion for "tcsh"/, /Next: one of bash, zsh, fish, kubectl/],
    },
  ];
  for (const { title, argv, code, says } of table) {
    it(`is one line with the next step: ${title}`, async () => {
      const ended = await run(...argv());
      expect([ended.code, ended.out]).to.deep.equal([code, '']);
      expect(ended.err).to.match(/^error: [^\n]*[^.]\. Next: [^\n]*[^.\n]\n$/);
      for (const pattern of says) expect(ended.err).to.match(pattern);
    });
  }

  it('does not occur for --version, which needs no kubeconfig', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
    expect(await run('--version')).to.deep.equal({ code: EXIT.fine, out: `kubectl-mkv ${version}\n`, err: '' });
  });
});
