import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findGoModuleProblems, findHelmModuleProblems } from '../src/checks/go-module.ts';
import { TestbedError } from '../src/errors.ts';
import { parseStartOptions } from '../src/options/start-options.ts';
import { projectRoot } from '../src/paths.ts';
import { createFailures } from '../src/reporting/failures.ts';
import { addTallies, closingLine, parseTally } from '../src/reporting/tally.ts';

/** Those of these files, given as paths with one import each, that the rules of biome.json for imports refuse. */
function refusedImports(files: Readonly<Record<string, string>>): string[] {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'imports-'));
  cpSync(join(projectRoot, 'biome.json'), join(folder.path, 'biome.json'));
  for (const [path, specifier] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), `export type { A } from '${specifier}';\n`);
  }
  const rules = ['style/noRestrictedImports', 'suspicious/noImportCycles'].map((rule) => `--only=${rule}`);
  const biome = join(projectRoot, 'node_modules', '.bin', 'biome');
  const args = ['lint', ...rules, '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=json', '.'];
  const { stdout } = spawnSync(biome, args, { cwd: folder.path, encoding: 'utf8' });
  const report: { readonly diagnostics: readonly { readonly location: { readonly path: string } }[] } =
    JSON.parse(stdout);
  return report.diagnostics.map(({ location }) => location.path).sort();
}

describe('imports', () => {
  it('in the sources of a package are allowed from packages below it, by their names', () => {
    const refused = refusedImports({
      'packages/planner/src/below.ts': '@marekvs/api',
      'packages/planner/src/beside.ts': '@marekvs/runtime',
      'packages/planner/src/above.ts': '@marekvs/operator/projections',
      'packages/cli/src/arrow.ts': '@marekvs/operator/projections',
      'packages/cli/src/beside-it.ts': '@marekvs/operator',
      'packages/simulator/src/judged.ts': '@marekvs/planner',
    });
    expect(refused).to.deep.equal([
      'packages/cli/src/beside-it.ts',
      'packages/planner/src/above.ts',
      'packages/planner/src/beside.ts',
      'packages/simulator/src/judged.ts',
    ]);
  });

  it('in tests are allowed from any package and from shared files of tests, not from sources of other packages', () => {
    const refused = refusedImports({
      'packages/planner/test/package.test.ts': '@marekvs/simulator',
      'packages/planner/test/removal/own.test.ts': '../../src/removal/plan.ts',
      'packages/planner/test/removal/shared.test.ts': '../../../api/test/builders.ts',
      'packages/planner/test/removal/foreign.test.ts': '../../../api/src/names.ts',
      'test-e2e/journeys/foreign.test.ts': '../../packages/api/src/names.ts',
    });
    expect(refused).to.deep.equal([
      'packages/planner/test/removal/foreign.test.ts',
      'test-e2e/journeys/foreign.test.ts',
    ]);
  });

  it('may not be circular, not even for a type', () => {
    const circle = { 'packages/api/src/one.ts': './two.ts', 'packages/api/src/two.ts': './one.ts' };
    expect(refusedImports({ ...circle, 'packages/api/src/three.ts': './one.ts' })).to.deep.equal(Object.keys(circle));
  });
});

describe('the Go module', () => {
  it('is refused when a staging module points elsewhere', () => {
    const tools = [
      'go.etcd.io/etcd/server/v3',
      'k8s.io/kubernetes/cmd/kube-apiserver',
      'k8s.io/kubernetes/cmd/kube-controller-manager',
      'k8s.io/kubernetes/cmd/kubectl',
    ];
    const replaced = Array.from({ length: 31 }, (_, index) => `k8s.io/m${index} => k8s.io/m${index} v0.36.3`);
    const good = [...tools, 'k8s.io/kubernetes v1.36.3 // indirect', ...replaced].join('\n');
    expect(findGoModuleProblems(good, 'v1.36.3')).to.deep.equal([]);
    expect(findGoModuleProblems(good.replace('m7 v0.36.3', 'm7 v0.35.0'), 'v1.36.3')).to.have.length(1);
    expect(findGoModuleProblems(good, 'v1.37.0')).to.have.length(32);
  });

  it('is refused when it names another Helm than the tests use', () => {
    const good = 'tool helm.sh/helm/v4/cmd/helm\n\nrequire (\n\thelm.sh/helm/v4 v4.3.1 // indirect\n)\n';
    expect(findHelmModuleProblems(good, 'v4.3.1')).to.deep.equal([]);
    expect(findHelmModuleProblems(good, 'v4.3.2')).to.deep.equal(['helm/go.mod: no line helm.sh/helm/v4 v4.3.2']);
    expect(findHelmModuleProblems('', 'v4.3.1')).to.have.length(2);
  });
});

describe('the last line of the gate', () => {
  it('adds up over all parts', () => {
    expect(
      closingLine(addTallies({ passed: 5, failed: 0, skipped: 1 }, { passed: 7, failed: 2, skipped: 0 })),
    ).to.equal('12 passed, 2 failed, 1 skipped');
  });

  it('counts a process that wrote nothing, or garbage, as a failure', () => {
    for (const text of [undefined, '', '{}', '[]', '{"passed":1}'])
      expect(parseTally(text).failed, String(text)).to.equal(1);
    expect(parseTally('{"passed":3,"failed":0,"skipped":1}')).to.deep.equal({ passed: 3, failed: 0, skipped: 1 });
  });
});

describe('the command line of npm start', () => {
  it('has defaults', () => {
    expect(parseStartOptions([])).to.deep.equal({
      isHelp: false,
      untilHealthy: false,
      member: undefined,
      speed: 1,
      deadlineSeconds: 180,
    });
  });

  for (const args of [
    ['--sped', '2'],
    ['--speed', 'fast'],
    ['--speed', '0'],
    ['--deadline-seconds', '-1'],
    ['extra'],
  ]) {
    it(`refuses ${args.join(' ')} with exit code 2`, () => {
      expect(() => parseStartOptions(args))
        .to.throw(TestbedError)
        .with.property('exitCode', 2);
    });
  }
});

describe('the summary of failures', () => {
  const told = (...pieces: readonly string[]): string => {
    const failures = createFailures();
    for (const piece of pieces) failures.see(piece);
    return failures.tell();
  };

  it('repeats each failure with its message, whatever was printed around it', () => {
    expect(
      told('  ✓ one (1 ms)\n  ✗ two\n      AssertionError\n', '      at here\n  ✓ three\n      figure\n'),
    ).to.equal('What failed:\n  ✗ two\n      AssertionError\n      at here\n');
  });

  it('is the same when the output comes in pieces that end anywhere', () => {
    expect(told('  ✓ one\n  ', '✗ tw', 'o\n')).to.equal('What failed:\n  ✗ two\n');
  });

  it('is empty when nothing failed', () => {
    expect(told('  ✓ one\n', '      a line of its own\n')).to.equal('');
  });

  it('has a limited number of failures and of lines', () => {
    const one = `  ✗ test\n${'      line\n'.repeat(30)}`;
    const lines = told(one.repeat(25)).split('\n');
    expect(lines).to.have.length(1 + 20 * 12 + 2);
    expect(lines.at(-2)).to.equal('  and 5 more');
  });
});
