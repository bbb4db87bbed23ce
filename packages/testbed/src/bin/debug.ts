// `npm run debug -- <file> [arguments]`: a unit test, found as `npm run unit` finds it, or any script, halted before
// its first line until a debugger is attached (chrome://inspect, or the editor's "attach").
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findTestFiles, toWord, typedIn, UNIT_FILES } from '../mocha/test-files.ts';
import { mochaArguments } from '../options/unit-options.ts';
import { projectRoot } from '../paths.ts';
import { becomeNode, MOCHA } from '../processes/become-node.ts';

const HALT = '--inspect-brk';
/** Nothing times out while somebody debugs. */
const NO_LIMIT = 0;

const [text = '', ...more] = process.argv.slice(2);
const word = toWord(text, typedIn());
const isTest = word.endsWith('.test.ts');
const files = word === '' ? [] : isTest && isFile(word) ? [word] : findTestFiles(UNIT_FILES, [word]);
if (!isTest && isFile(word)) becomeNode([HALT, '--conditions=development', word, ...more]);
else if (files.length === 1) {
  becomeNode(mochaArguments({ program: MOCHA, files, testMs: NO_LIMIT, node: [HALT], more }));
} else {
  const found = files.length === 0 ? '' : `${files.length} files have it in their path:\n  ${files.join('\n  ')}\n`;
  process.stderr.write(`usage: npm run debug -- <script, test file or words of one test's path> [arguments]\n${found}`);
  process.exitCode = 2;
}

function isFile(path: string): boolean {
  const absolute = join(projectRoot, path);
  return path !== '' && existsSync(absolute) && statSync(absolute).isFile();
}
