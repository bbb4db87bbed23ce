// What is printed can be pasted and piped: commands have numbers instead of placeholders, lines are whole when the
// output is no terminal, and lines that do not fit on a screen are counted.

import { REASONS } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { About } from '../src/explain/catalogue/command-parts.ts';
import { commandsFor } from '../src/explain/catalogue/commands.ts';
import type { Rule } from '../src/explain/catalogue/rules.ts';
import { EXIT } from '../src/index.ts';
import { fitting } from '../src/watching/watch-screen.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const run = (line: string, server = serverWith(), more: Partial<FakeOptions> = {}) =>
  runFake(line.split(' '), { server, nowMs: NOW_MS, ...more });

const ABOUT: About = {
  namespace: 'default',
  cluster: 'demo',
  operatorNamespace: 'marekvs-system',
  operatorDeployment: 'marekvs-operator',
  member: 'demo-1',
  isPodThere: true,
  isClaimThere: true,
  floor: 3,
  nodes: 4,
  storage: '10Gi',
};
/** The situations of the catalogue, and some that only the plugin sees. */
const RULES: readonly Rule[] = [
  ...Object.keys(REASONS).filter((name): name is keyof typeof REASONS => name in REASONS),
  'OperatorDown',
  'OperatorLeaseFree',
  'NotWatched',
  'SpecNotSeen',
  'DisruptionBudget',
  'StuckDeleting',
];

describe('a command that explain gives', () => {
  it('has no placeholder, whether it is about a member or the whole cluster', () => {
    const all = RULES.flatMap((rule) => [
      ...commandsFor(rule, ABOUT),
      ...commandsFor(rule, { ...ABOUT, member: undefined }),
    ]);
    const bounds = { minNodes: 3, maxNodes: 4 };
    all.push(...RULES.flatMap((rule) => commandsFor(rule, { ...ABOUT, bounds })));
    expect(all).to.have.length.above(80);
    expect(all.filter((command) => /<[^>]*>|undefined| {2}-n/.test(command))).to.deep.equal([]);
  });

  it('has the number that helps: one more node, the floor, a volume of twice the size', () => {
    expect(commandsFor('DiskFull', ABOUT)).to.include('kubectl mkv scale demo 5 -n default');
    expect(commandsFor('DiskFull', ABOUT)[0]).to.include('patch mkv demo').and.include('"storage":{"size":"20Gi"}');
    expect(commandsFor('BelowFloor', ABOUT)).to.deep.equal(['kubectl mkv scale demo 3 -n default']);
  });

  it('changes the bounds of a size that follows the load instead of scaling it', () => {
    const about = { ...ABOUT, bounds: { minNodes: 3, maxNodes: 4 } };
    expect(RULES.flatMap((rule) => commandsFor(rule, about)).filter((one) => one.includes(' scale '))).to.deep.equal(
      [],
    );
    expect(commandsFor('DiskFull', about)[1]).to.include('{"spec":{"autoscale":{"minNodes":5,"maxNodes":5}}}');
    expect(commandsFor('BelowFloor', about)[0]).to.include('{"spec":{"autoscale":{"maxNodes":3}}}');
  });

  it('reads the log of the member, or of all members when it is about none', () => {
    const about = { ...ABOUT, member: undefined };
    const selected = 'kubectl logs -n default -l marekvs.io/cluster=demo --prefix';
    expect(commandsFor('MemberStarting', ABOUT)).to.deep.equal(['kubectl logs demo-1 -n default --tail 50']);
    expect(commandsFor('MemberStarting', about)).to.deep.equal([`${selected} --tail 50`]);
    expect(commandsFor('CrashLooping', ABOUT)).to.deep.equal(['kubectl logs demo-1 -n default --previous']);
    expect(commandsFor('CrashLooping', about)).to.deep.equal([`${selected} --previous --ignore-errors`]);
  });

  it('names no Deployment, Pod or claim that does not exist', () => {
    const gone = { ...ABOUT, operatorDeployment: undefined, isPodThere: false, isClaimThere: false };
    for (const rule of ['OperatorDown', 'MemberMissing', 'VolumePending', 'DiskFull'] as const)
      expect(commandsFor(rule, gone).join('\n'), rule).to.not.match(
        /deploy\/|describe pod demo-1|describe pvc|patch pvc/,
      );
    expect(commandsFor('OperatorDown', gone)).to.deep.equal([
      'kubectl get deploy,pods -A -l app.kubernetes.io/name=marekvs-operator',
    ]);
  });
});

describe('output that goes into a pipe', () => {
  const message = `a sentence that is ${'much '.repeat(30)}longer than 80 columns`;
  const server = () => serverWith(3, { status: { message } });

  it('is neither cut nor wrapped, and has the same columns as on a terminal', async () => {
    for (const line of ['status demo', 'status']) {
      const { out } = await run(line, server(), { columns: 'none' });
      expect(out, line).to.include(message).and.not.include('…');
    }
    expect((await run('status demo', server(), { columns: 'none' })).out).to.not.include('10.0.0.1');
  });

  it('fits 80 columns when COLUMNS is 80', async () => {
    const { out } = await run('status', server());
    expect(Math.max(...out.split('\n').map((line) => line.length))).to.be.at.most(80);
    expect(out).to.include('…');
  });
});

describe('a screen that is drawn again and again', () => {
  const lines = ['head', 'one', 'two', 'three', 'four'];
  it('counts the lines that do not fit, and shows all lines when they do', () => {
    expect(fitting(lines, 6)).to.deep.equal(lines);
    expect(fitting(lines, 5)).to.deep.equal(['head', 'one', 'two', '… and 2 more lines']);
    expect(fitting(lines, undefined)).to.deep.equal(lines);
    expect(fitting(lines, 1)).to.deep.equal(['head', '… and 4 more lines']);
  });
});

describe('a number in a spec', () => {
  it('of nodes that is below the floor gets a note from validate, with the size that is kept', async () => {
    const text =
      'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nmetadata: {name: demo}\nspec:\n  image: a\n  nodes: 1\n';
    const { code, out } = await run('validate -f one.yaml', serverWith(), { files: { 'one.yaml': text } });
    expect(code).to.equal(EXIT.fine);
    expect(out).to.match(
      /one\.yaml:6:\d+: note: spec\.nodes is 1, below replicationFactor \+ 1 = 3: the operator keeps 3 nodes/,
    );
  });

  it('of maxUnavailable above one and of minAvailablePercent gets a note from validate about its effect', async () => {
    const text =
      'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nmetadata: {name: demo}\nspec:\n  image: a\n  update: {maxUnavailable: 2, minAvailablePercent: 75}\n';
    const { code, out } = await run('validate -f one.yaml', serverWith(), { files: { 'one.yaml': text } });
    expect(code).to.equal(EXIT.fine);
    expect(out).to.match(
      /one\.yaml:6:\d+: note: spec\.update\.maxUnavailable is 2: members are restarted one at a time all the same/,
    );
    expect(out).to.match(/one\.yaml:6:\d+: note: spec\.update\.minAvailablePercent has no effect/);
  });

  it('of nodes that is below the floor is not what suggested commands count from', async () => {
    const small = serverWith(3, { spec: { nodes: 1 } });
    const marked = await run('remove demo-1', small);
    expect(marked.out)
      .to.include('kubectl mkv replace demo-1')
      .and.not.match(/scale demo \d/);
    const shrunk = await run('remove demo-1 --shrink', small);
    expect(shrunk.err).to.match(/2 nodes are below replicationFactor \+ 1 = 3.*kubectl mkv replace demo-1/);
    expect((await run('cancel demo', serverWith(3, { spec: { nodes: 1 } }))).out).to.equal(
      'nothing is under way on demo\n',
    );
  });
});
