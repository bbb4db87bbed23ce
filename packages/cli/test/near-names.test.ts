// When a name does not exist, the one that was probably meant is suggested.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { nearName } from '../src/cluster/near-name.ts';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const run = (line: string, more: Partial<FakeOptions> = {}) =>
  runFake(line.split(' '), { server: serverWith(), nowMs: NOW_MS, ...more });

describe('a name that does not exist', () => {
  const near = [
    { typed: 'dmeo', of: ['demo', 'other'], is: 'demo' },
    { typed: 'demo1', of: ['demo-1', 'demo-2'], is: 'demo-1' },
    { typed: 'orders-prd', of: ['orders-prod', 'orders-test'], is: 'orders-prod' },
    { typed: 'orders', of: ['orders-production'], is: 'orders-production' },
    { typed: 'demo-7', of: ['demo-0', 'demo-1'], is: undefined },
    { typed: 'xyz', of: ['demo'], is: undefined },
    { typed: 'a', of: ['b'], is: undefined },
    { typed: 'demo', of: [], is: undefined },
  ];
  for (const { typed, of, is } of near) {
    it(`${is === undefined ? 'means no other' : `means ${is}`} when it is ${typed} and there is ${of.join(', ') || 'nothing'}`, () => {
      expect(nearName(typed, of)).to.equal(is);
    });
  }

  const lines = [
    ['status dmeo', 'did you mean demo? kubectl mkv status -A lists every cluster you may see'],
    ['explain dmeo', 'did you mean demo?'],
    ['scale dmeo 5', 'did you mean demo?'],
    ['volumes demo2', 'kubectl mkv status -A lists'],
    ['remove demo1', 'did you mean demo-1? kubectl get mkvnode -n default lists them'],
    ['proof dmeo-1', 'did you mean demo-1?'],
  ] as const;
  for (const [line, wanted] of lines) {
    it(`ends \`${line}\` with 3 and one line with the next step`, async () => {
      const { code, err } = await run(line);
      expect(code).to.equal(EXIT.notFound);
      expect(err)
        .to.match(/^error: there is no .*\. Next: .*\n$/)
        .and.include(wanted);
    });
  }

  it('gets no suggestion when the user may not list names', async () => {
    const refusal: FakeOptions['refusal'] = ({ verb }) =>
      verb === 'list' ? { code: 403, reason: 'Forbidden', message: 'User "eve" cannot list resource' } : undefined;
    const { code, err } = await run('status dmeo', { refusal });
    expect([code, err]).to.deep.equal([
      EXIT.notFound,
      'error: there is no cluster dmeo in namespace default. Next: kubectl mkv status -A lists every cluster you may see\n',
    ]);
  });
});
