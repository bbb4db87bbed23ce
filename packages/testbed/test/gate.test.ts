import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createFailures } from '../src/bin/failures.ts';
import { findGoModuleProblems, findHelmModuleProblems } from '../src/bin/go-module.ts';
import { findLayeringProblems, importsOf, type PackageFacts } from '../src/bin/layering.ts';
import { parseStartOptions } from '../src/bin/start-options.ts';
import { addTallies, closingLine, parseTally } from '../src/bin/tally.ts';
import { TestbedError } from '../src/errors.ts';

const planner: PackageFacts = {
  name: '@marekvs/planner',
  folder: 'packages/planner',
  dependencies: ['@marekvs/api'],
  references: ['@marekvs/api'],
  files: [
    {
      path: 'packages/planner/src/plan.ts',
      text: "import { nodeName } from '@marekvs/api';\nimport { x } from './x.ts';",
    },
  ],
};
const importing = (text: string, path = 'packages/planner/src/plan.ts'): string[] =>
  findLayeringProblems([{ ...planner, files: [{ path, text }] }]);

describe('layers', () => {
  it('are in order for a package that declares and references what it imports', () => {
    expect(findLayeringProblems([planner])).to.deep.equal([]);
  });

  it('are broken by a dependency that the order of the packages does not allow', () => {
    const simulator = {
      ...planner,
      name: '@marekvs/simulator',
      folder: 'packages/simulator',
      dependencies: ['@marekvs/planner'],
      references: undefined,
    };
    expect(findLayeringProblems([{ ...simulator, files: [] }])).to.deep.equal([
      'packages/simulator/package.json: @marekvs/simulator must not depend on @marekvs/planner',
    ]);
  });

  it('are broken by references that differ from the dependencies, either way', () => {
    expect(findLayeringProblems([{ ...planner, references: [] }])[0]).to.match(/no reference to @marekvs\/api/);
    expect(findLayeringProblems([{ ...planner, references: ['@marekvs/api', '@marekvs/runtime'] }])[0]).to.match(
      /a reference to @marekvs\/runtime/,
    );
  });

  it('are broken by an import that is not declared, and by the inside of another package', () => {
    expect(importing("import { a } from '@marekvs/runtime';")[0]).to.match(/imports @marekvs\/runtime, which/);
    expect(importing("import { a } from '@marekvs/api/src/names.ts';")[0]).to.match(/the inside of @marekvs\/api/);
    expect(importing("import { a } from '../../api/src/names.ts';")[0]).to.match(/a file of another package/);
  });

  it('let tests use other packages and what other tests share, but not the sources of another package', () => {
    const test = 'packages/planner/test/plan.test.ts';
    expect(importing("import { a } from '@marekvs/simulator';", test)).to.deep.equal([]);
    expect(importing("import { a } from '../src/plan.ts';", test)).to.deep.equal([]);
    expect(importing("import { a } from '../../api/test/builders.ts';", test)).to.deep.equal([]);
    expect(importing("import { a } from '../../api/test/builders.ts';")).to.have.length(1);
    expect(importing("import { a } from '../../api/src/names.ts';", test)).to.have.length(1);
  });

  it('are read from every form of import', () => {
    expect(
      importsOf("import 'a';\nimport type { B } from \"b\";\nexport { c } from 'c';\nawait import('d');"),
    ).to.deep.equal(['a', 'b', 'c', 'd']);
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

  it('names the Helm that the tests use', () => {
    const good = 'tool helm.sh/helm/v4/cmd/helm\n\nrequire (\n\thelm.sh/helm/v4 v4.3.1 // indirect\n)\n';
    expect(findHelmModuleProblems(good, 'v4.3.1')).to.deep.equal([]);
    expect(findHelmModuleProblems(good, 'v4.3.2')).to.deep.equal(['helm/go.mod: no line helm.sh/helm/v4 v4.3.2']);
    expect(findHelmModuleProblems('', 'v4.3.1')).to.have.length(2);
  });
});

describe('the closing line', () => {
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

describe('what failed', () => {
  const told = (...pieces: readonly string[]): string => {
    const failures = createFailures();
    for (const piece of pieces) failures.see(piece);
    return failures.tell();
  };

  it('is told again with what belongs to it, whatever was printed around it', () => {
    expect(
      told('  ✓ one (1 ms)\n  ✗ two\n      AssertionError\n', '      at here\n  ✓ three\n      figure\n'),
    ).to.equal('What failed:\n  ✗ two\n      AssertionError\n      at here\n');
  });

  it('is found in pieces that end anywhere', () => {
    expect(told('  ✓ one\n  ', '✗ tw', 'o\n')).to.equal('What failed:\n  ✗ two\n');
  });

  it('is nothing when nothing failed', () => {
    expect(told('  ✓ one\n', '      a line of its own\n')).to.equal('');
  });

  it('is bounded in failures and in lines', () => {
    const one = `  ✗ test\n${'      line\n'.repeat(30)}`;
    const lines = told(one.repeat(25)).split('\n');
    expect(lines).to.have.length(1 + 20 * 12 + 2);
    expect(lines.at(-2)).to.equal('  and 5 more');
  });
});
