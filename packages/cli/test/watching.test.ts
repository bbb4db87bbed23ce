// A watch is for people: a program gets an answer that says so.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

describe('a watch for programs', () => {
  for (const line of ['status demo --watch -o json', 'status --watch -o yaml']) {
    it(`is refused with 2 before anything is read: \`${line}\``, async () => {
      const refusal: FakeOptions['refusal'] = () => expect.fail('something was read');
      const { code, out, err } = await runFake(line.split(' '), { server: serverWith(), nowMs: NOW_MS, refusal });
      expect([code, out]).to.deep.equal([EXIT.usage, '']);
      expect(err).to.match(/^error: --watch .* -o (json|yaml)\. Next: .*kubectl get .*\n$/);
    });
  }
});
