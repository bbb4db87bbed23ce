// The rules about pages are loaded, and refuse what they are there for (`npm run check` applies them to every page).

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { projectRoot } from '../src/paths.ts';
import { runTool } from '../src/processes/run-tool.ts';

const program = (name: string): string => join(projectRoot, 'node_modules', '.bin', name);

describe('the rules about pages', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pages-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function outcomeOf(name: string, args: readonly string[], text: string): Promise<[number, string]> {
    const page = join(folder, 'page.md');
    await writeFile(page, text);
    const { code, output } = await runTool(program(name), [...args, page]);
    return [code, output];
  }
  const proseOf = (text: string) => outcomeOf('textlint', ['--format', 'unix'], `# A page\n\n${text}\n`);
  const formOf = (text: string) => outcomeOf('markdownlint-cli2', ['--no-globs'], text);

  it('accept plain sentences', async () => {
    expect(await proseOf('A member leaves. Its volume stays.')).to.deep.equal([0, '']);
    expect((await formOf('# A page\n\nA member leaves.\n'))[0]).to.equal(0);
  });

  it('refuse a sentence that is too long, and name a better word', async () => {
    const [code, output] = await proseOf(`A member ${'and another one '.repeat(16)}leave. It stays for ever.`);
    expect(code).to.not.equal(0);
    expect(output)
      .to.match(/exceeds the maximum sentence length of 240/)
      .and.match(/use “forever” instead/);
  });

  it('refuse a line that is wider than a window, and a block without a language', async () => {
    const [code, output] = await formOf(`# A page\n\n${'wide '.repeat(40)}end\n\n\`\`\`\nls\n\`\`\`\n`);
    expect(code).to.not.equal(0);
    expect(output).to.match(/MD013/).and.match(/MD040/);
  });
});
