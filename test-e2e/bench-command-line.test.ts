// What a benchmark does with its command line: nothing is started for somebody who asks for help or mistypes. No
// cluster.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@marekvs/testbed';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readBenchCommand, WHOLE_NUMBER, WHOLE_NUMBERS } from './bench/command-line.ts';

const COMMAND = {
  usage: 'usage: npm run bench:demo\n',
  options: { json: { type: 'boolean', default: false }, clusters: { type: 'string', default: '10' } },
  forms: { clusters: WHOLE_NUMBERS },
} as const;

/** Script and file of every benchmark on a testbed. */
function benches(): readonly (readonly [string, string])[] {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  return Object.entries(scripts).flatMap(([script, command]) => {
    const file = /test-e2e\/bench\/\S+$/.exec(command)?.[0];
    return file === undefined ? [] : [[script, file] as const];
  });
}

describe('the command line of a benchmark', () => {
  it('gives values, and the defaults of what was not said', () => {
    expect(readBenchCommand(COMMAND, ['--json'])).to.deep.equal({ values: { json: true, clusters: '10' } });
    expect(readBenchCommand(COMMAND, ['--clusters', '10,100'])).to.deep.equal({
      values: { json: false, clusters: '10,100' },
    });
  });

  it('is answered with the usage, whatever else it says, where it asks for help', () => {
    for (const asked of ['--help', '-h'])
      expect(readBenchCommand(COMMAND, ['--no-such', asked])).to.deep.equal({ text: COMMAND.usage, exitCode: 0 });
  });

  for (const [what, args, problem] of [
    ['an option that nobody knows', ['--cluster', '3'], /^Unknown option '--cluster'/],
    ['a word that is no option', ['json'], /^Unexpected argument 'json'/],
    ['an option without its value', ['--clusters'], /^Option '--clusters <value>' argument missing/],
    ['what is no number', ['--clusters', '1o'], /^--clusters 1o: whole numbers from 1, with commas between them,/],
  ] as const) {
    it(`is refused for ${what}, with the usage and exit code 2`, () => {
      const read = readBenchCommand(COMMAND, args);
      expect(read).to.have.property('exitCode', 2);
      expect(read).to.have.property('text').that.matches(problem).and.contains(`\n\n${COMMAND.usage}`);
    });
  }

  it('takes one number where one is wanted', () => {
    const command = { ...COMMAND, forms: { clusters: WHOLE_NUMBER } };
    expect(readBenchCommand(command, ['--clusters', '10'])).to.have.nested.property('values.clusters', '10');
    for (const none of ['0', '10,100', '-1', '1.5', ''])
      expect(readBenchCommand(command, [`--clusters=${none}`]), none).to.have.property('exitCode', 2);
  });

  it('is read by every benchmark before it does anything, and its usage names the script', () => {
    expect(benches()).to.have.length.above(6);
    for (const [script, file] of benches()) {
      const text = readFileSync(join(projectRoot, file), 'utf8');
      const [before = '', after] = text.split(' = benchOptions({\n');
      expect(after, file).to.match(new RegExp(`^  usage: \`usage: npm run ${script} `));
      expect(before, file).to.not.match(/^(?!import |\/\/).*\b(?:await|process)\b/m);
      expect(text, file).to.not.include('process.argv');
    }
  });

  it('ends npm run bench:roll -- --help at once with 0 and the usage', async () => {
    const args = ['--conditions=development', 'test-e2e/bench/bench-roll.ts', '--help'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot });
    expect(stdout).to.match(/^usage: npm run bench:roll .*\n(?: {2}\S.*\n)+$/);
    expect(stderr).to.equal('');
  });
});
