// The table of packages/api against a real API server without an operator: it has to give the same verdicts as ajv and
// the static rules.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { after, before, describe, it } from 'mocha';
import { cluster, OBJECT_CASES, type ObjectCase } from '../../packages/api/test/objects.ts';
import { type Admission, createAdmission, type PlainObject } from '../support/admission.ts';
import { createStoredBefore } from '../support/broken-clusters.ts';
import { eventually } from '../support/eventually.ts';
import { createKube } from '../support/kube.ts';
import { createKubectl } from '../support/kubectl.ts';
import { plainSpec } from '../support/specs.ts';

const EXAMPLE = fileURLToPath(new URL('../../packages/api/test/samples/example-cluster.yaml', import.meta.url));
const NAMESPACE = 'admission';

describe('admission by a real API server', () => {
  const testbed = withTestbed({ before, after }, { operator: false, kubelet: false, withControllerManager: false });
  let admission: Admission;

  before(async () => {
    const kube = createKube(testbed().kubeconfigs.admin);
    await kube.createNamespace(NAMESPACE);
    admission = createAdmission(kube.config, NAMESPACE);
  });

  for (const row of OBJECT_CASES) {
    it(`${row.valid ? 'accepts' : 'refuses'} ${row.title}`, async () => {
      const verdict = await admission.judge(row.object, row.old, row.valid || row.strict ? 'Strict' : 'Ignore');
      if (row.valid) expect(verdict, describeVerdict(verdict)).to.have.property('kind', 'accepted');
      else expectRefusal(row, verdict);
    });
  }

  it('accepts the example of the existing operator unchanged, and keeps every field of it', async () => {
    const example = load(readFileSync(EXAMPLE, 'utf8')) as PlainObject;
    const verdict = await admission.judge(example);
    if (verdict.kind !== 'accepted') expect.fail(verdict.text);
    const stored = verdict.stored as { readonly spec: PlainObject };
    expect(contains(stored.spec, example.spec), JSON.stringify(stored.spec)).to.equal(true);
  });

  it('fills in the defaults of a cluster whose spec has nothing but an image', async () => {
    const verdict = await admission.judge(cluster());
    if (verdict.kind !== 'accepted') expect.fail(verdict.text);
    expect(verdict.stored.spec).to.deep.include({
      nodes: 3,
      replicationFactor: 2,
      storage: { size: '10Gi' },
      resources: { cpu: '500m', memory: '1Gi' },
    });
  });

  describe('spec.nodes of a cluster with spec.autoscale', () => {
    const autoscale = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 5000 };
    const manifest = async (nodes: number): Promise<string> => {
      const file = join(testbed().dir, `sized-${nodes}.json`);
      await writeFile(file, JSON.stringify(cluster({ nodes, autoscale }, 'sized')));
      return file;
    };
    const kubectl = (...args: readonly string[]): Promise<string> => createKubectl(testbed())('-n', NAMESPACE, ...args);

    before(async () => void (await kubectl('apply', '-f', await manifest(4))));

    for (const [how, ask] of [
      ['apply', async () => ['apply', '-f', await manifest(5)]],
      ['apply --server-side', async () => ['apply', '--server-side', '--force-conflicts', '-f', await manifest(5)]],
      ['replace', async () => ['replace', '-f', await manifest(5)]],
      ['patch', async () => ['patch', 'mkv', 'sized', '--type=merge', '-p', '{"spec":{"nodes":5}}']],
      ['scale', async () => ['scale', 'mkv/sized', '--replicas=5']],
    ] as const) {
      it(`cannot be changed by kubectl ${how}, which prints why`, async () => {
        const outcome = await kubectl(...(await ask())).catch((error: { stderr?: string }) => error);
        expect(outcome)
          .to.have.property('stderr')
          .that.includes('spec.nodes is only the initial size while spec.autoscale is set')
          .and.includes('remove autoscale in the same edit');
        expect(await kubectl('get', 'mkv', 'sized', '-o', 'jsonpath={.spec.nodes}')).to.equal('4');
      });
    }

    it('can be changed by kubectl scale once spec.autoscale is taken out', async () => {
      await kubectl('patch', 'mkv', 'sized', '--type=merge', '-p', '{"spec":{"autoscale":null}}');
      await kubectl('scale', 'mkv/sized', '--replicas=5');
      expect(await kubectl('get', 'mkv', 'sized', '-o', 'jsonpath={.spec.nodes}')).to.equal('5');
    });
  });

  describe('what was stored before a rule existed', () => {
    const kubectl = (...args: readonly string[]): Promise<string> => createKubectl(testbed())('-n', NAMESPACE, ...args);
    const patch = (spec: PlainObject): Promise<string> =>
      kubectl('patch', 'mkv', 'early', '--type=merge', '-p', JSON.stringify({ spec }));
    const refusal = (spec: PlainObject): Promise<string> =>
      patch(spec).then(
        () => '',
        ({ stderr }: { readonly stderr?: string }) => stderr ?? '',
      );

    before(async () => {
      const extraEnv = { MAREKVS_REPLICAOF: 'redis:6379', RUST_LOG: 'info' };
      const spec = plainSpec(3, { gcGraceSeconds: 600, extraEnv, update: { minAvailablePercent: 75 } });
      const early = { namespace: NAMESPACE, name: 'early', spec };
      await createStoredBefore(testbed(), createKube(testbed().kubeconfigs.admin), [early]);
      await eventually('the rule is in force again', async () => (await refusal({ gcGraceSeconds: 601 })) !== '');
    });

    it('is no gcGraceSeconds below 3600 after an edit to another one', async () => {
      expect(await refusal({ gcGraceSeconds: 599 })).to.include('spec.gcGraceSeconds must be at least 3600');
    });

    it('is no upstream after an edit of another variable', async () => {
      expect(await refusal({ extraEnv: { RUST_LOG: 'debug' } })).to.include('must not set MAREKVS_REPLICAOF');
    });

    it('stays through edits of other fields and of the status', async () => {
      await patch({ nodes: 5 });
      await kubectl(
        'patch',
        'mkv',
        'early',
        '--subresource=status',
        '--type=merge',
        '-p',
        '{"status":{"message":"x"}}',
      );
      const kept =
        'jsonpath={.spec.gcGraceSeconds} {.spec.extraEnv.MAREKVS_REPLICAOF} {.spec.update.minAvailablePercent}';
      expect(await kubectl('get', 'mkv', 'early', '-o', kept)).to.equal('600 redis:6379 75');
    });

    it('is no upstream once it is taken out', async () => {
      await patch({ extraEnv: { MAREKVS_REPLICAOF: null } });
      expect(await refusal({ extraEnv: { MAREKVS_REPLICAOF: 'redis:6379' } })).to.include('must not set');
    });

    it('is a gcGraceSeconds of at least 3600 once it is raised', async () => {
      await patch({ gcGraceSeconds: 3600 });
      expect(await refusal({ gcGraceSeconds: 600 })).to.include('at least 3600');
    });
  });

  for (const row of OBJECT_CASES.filter((each) => each.strict)) {
    it(`drops ${row.title} when the client does not ask for strict validation`, async () => {
      const verdict = await admission.judge(row.object, row.old, 'Ignore');
      if (verdict.kind !== 'accepted') expect.fail(verdict.text);
      expect(at(verdict.stored, row.field ?? '')).to.equal(undefined);
      expect(at(row.object, row.field ?? '')).not.to.equal(undefined);
    });
  }
});

type Verdict = Awaited<ReturnType<Admission['judge']>>;

function expectRefusal(row: ObjectCase, verdict: Verdict): void {
  if (verdict.kind === 'accepted') expect.fail('accepted, and should have been refused');
  expect(namedFields(verdict), verdict.text).to.include(row.field);
  expect(verdict.text).to.match(row.message ?? /$^/);
}

/** A rule over the whole object blames no field in the API server's list of causes, so its own sentence
 *  has to begin with the field. */
function namedFields({ fields, text }: Extract<Verdict, { kind: 'refused' }>): readonly string[] {
  const inSentence = /<nil>: Invalid value: (metadata\.name) /.exec(text)?.[1];
  return inSentence === undefined ? fields : [...fields, inSentence];
}

function describeVerdict(verdict: Verdict): string {
  return verdict.kind === 'refused' ? verdict.text : 'accepted';
}

/** The value at a path such as `spec.clients.from[0].services`. */
function at(object: PlainObject, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .reduce<unknown>((value, key) => (value === undefined ? undefined : (value as PlainObject)[key]), object);
}

/** Whether `whole` has everything that `part` has; defaults may have been added. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return whole === part;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(([key, value]) => contains((whole as PlainObject)[key], value));
}
