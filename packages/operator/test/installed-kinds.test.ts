// What the operator says of installed kinds that are older or newer than itself, or that it may not see (F96).

import { CLUSTER_KIND, type JsonObject, NODE_KIND, objectSchema } from '@marekvs/api/crd';
import { ApiError, type Transport, TransportError } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createInstalledKinds } from '../src/api-server/installed-kinds.ts';

interface Schema {
  properties: Record<string, Schema>;
  items: Schema;
  enum: string[];
}
type Properties = Record<string, Schema>;
type Edit = (properties: Properties) => void;

/** What the API server serves of our group, in the form of its OpenAPI documents. */
function served(edits: { readonly MarekvsCluster?: Edit; readonly MarekvsNode?: Edit } = {}): unknown {
  const schema = (kind: typeof CLUSTER_KIND) => {
    const copy = structuredClone(objectSchema(kind)) as JsonObject;
    edits[kind.kind as keyof typeof edits]?.(copy.properties as never);
    return {
      ...copy,
      'x-kubernetes-group-version-kind': [{ group: 'marekvs.io', kind: kind.kind, version: 'v1alpha1' }],
    };
  };
  const list = { type: 'object', 'x-kubernetes-group-version-kind': [{ kind: 'MarekvsClusterList' }] };
  const schemas = { a: schema(CLUSTER_KIND), b: schema(NODE_KIND), list, meta: { type: 'object' } };
  return { components: { schemas } };
}

/** The kinds after these answers, one after the other; the last one is repeated. */
async function asked(...answers: readonly unknown[]) {
  const clock = createManualClock();
  const logged: string[] = [];
  const log = (level: string) => (text: string, fields?: { readonly why?: string }) =>
    void logged.push([level, text, ...(fields?.why === undefined ? [] : [fields.why])].join(': '));
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const paths: string[] = [];
  const request = async ({ path }: { readonly path: string }) => {
    const answer = answers[Math.min(paths.length, answers.length - 1)];
    paths.push(path);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const kinds = createInstalledKinds({
    transport: { request } as Partial<Transport> as Transport,
    clock,
    logger: logger as never,
  });
  const stop = new AbortController();
  const running = kinds.run(stop.signal);
  await clock.run(0);
  await kinds.ready?.(stop.signal);
  return {
    kinds,
    logged,
    paths,
    why: () => kinds.notReady?.(),
    later: (ms: number) => clock.run(ms),
    async end() {
      stop.abort(new Error('the end'));
      await running;
    },
  };
}

const refused = (status: number) =>
  new ApiError({ verb: 'get', subject: 'the served schemas', path: '/openapi', status, reason: 'No' });
/** The schema without the field at these steps. */
const without =
  (...path: readonly string[]): Edit =>
  (properties) => {
    const parent = path.slice(0, -1).reduce<Properties | undefined>((at, step) => {
      const { properties: below, items } = at?.[step] ?? {};
      return below ?? items?.properties;
    }, properties);
    delete parent?.[path.at(-1) ?? ''];
  };

describe('the installed kinds', () => {
  it('that are those of this version are asked about once, and nothing is said', async () => {
    const { kinds, paths, logged, why, later, end } = await asked(served());
    await later(3_600_000);
    expect(paths).to.deep.equal(['/openapi/v3/apis/marekvs.io/v1alpha1']);
    expect([kinds.missing(), logged, why()]).to.deep.equal([{ MarekvsCluster: [], MarekvsNode: [] }, [], undefined]);
    await end();
  });

  it('that are newer are fine, because they drop nothing of ours', async () => {
    const newer: Edit = ({ spec, status }) => {
      if (spec !== undefined) spec.properties.fresh = { type: 'string' } as never;
      status?.properties.phase?.enum.push('Fresh');
    };
    const { kinds, why, end } = await asked(served({ MarekvsCluster: newer }));
    expect([kinds.missing()?.MarekvsCluster, why()]).to.deep.equal([[], undefined]);
    await end();
  });

  const OLDER: readonly (readonly [title: string, answer: unknown, says: string])[] = [
    ['a field', served({ MarekvsCluster: without('spec', 'clients') }), 'MarekvsCluster lacks spec.clients: '],
    [
      'a field of a list',
      served({ MarekvsCluster: without('status', 'conditions', 'reason') }),
      'MarekvsCluster lacks status.conditions[].reason: ',
    ],
    [
      'a value',
      served({ MarekvsNode: ({ spec }) => void spec?.properties.intent?.enum.pop() }),
      'MarekvsNode lacks spec.intent=Sealed: ',
    ],
    [
      'something of each',
      served({ MarekvsCluster: without('spec', 'clients'), MarekvsNode: without('spec', 'ran') }),
      'MarekvsCluster lacks spec.clients; MarekvsNode lacks spec.ran: ',
    ],
    ['everything', served({ MarekvsNode: without('status') }), 'MarekvsNode lacks status: '],
  ];
  for (const [title, answer, says] of OLDER)
    it(`that lack ${title} are named in the log and keep the operator from being ready, with the command`, async () => {
      const { logged, why, later, end } = await asked(answer);
      const text = `${says}apply the kinds of this version: kubectl apply -k config/crd`;
      expect([why(), logged]).to.deep.equal([text, []]);
      await later(600_000);
      expect(logged).to.deep.equal([`error: The installed kinds are older than this operator: ${text}`]);
      await end();
    });

  it('that lack many fields are told by the first ones and a number', async () => {
    const { kinds, why, end } = await asked(
      served({ MarekvsCluster: ({ spec }) => void Object.assign(spec ?? {}, { properties: {} }) }),
    );
    const count = kinds.missing()?.MarekvsCluster.length ?? 0;
    expect(count).to.be.greaterThan(10);
    expect(why()).to.match(new RegExp(`^MarekvsCluster lacks (spec\\.\\w+, ){4}spec\\.\\w+ and ${count - 5} more: `));
    await end();
  });

  it('that were applied a moment ago, and are not served yet, are not written about in the log', async () => {
    const { logged, why, later, end } = await asked(served({ MarekvsCluster: without('spec', 'clients') }), served());
    expect(why()).to.not.equal(undefined);
    await later(2_000);
    expect([why(), logged]).to.deep.equal([undefined, []]);
    await end();
  });

  it('that are mended while the operator runs make it ready, are said once each, and are not asked about again', async () => {
    const old = served({ MarekvsCluster: without('spec', 'clients') });
    const { logged, paths, why, later, end } = await asked(old, old, served());
    await later(2_000);
    expect(why()).to.not.equal(undefined);
    await later(4_000);
    expect(why()).to.equal(undefined);
    expect(logged.map((line) => line.split(':')[0])).to.deep.equal(['error', 'info']);
    await later(3_600_000);
    expect(paths).to.have.lengthOf(3);
    await end();
  });

  it('that it may not see do not keep it from working, which is said once', async () => {
    const { kinds, logged, paths, why, later, end } = await asked(refused(403));
    await later(3_600_000);
    expect([why(), kinds.missing(), paths.length]).to.deep.equal([undefined, undefined, 1]);
    expect(logged).to.have.lengthOf(1);
    expect(logged[0]).to.match(/^warn: Cannot see whether the installed kinds have every field of this version/);
    await end();
  });

  const LATER: readonly (readonly [title: string, answer: unknown])[] = [
    ['are not installed yet', refused(404)],
    ['are only half installed', { components: { schemas: {} } }],
    [
      'cannot be asked for, because nobody answers',
      new TransportError('no', { verb: 'get', path: '/', phase: 'connect' }),
    ],
    ['cannot be asked for, because the API server has failed', refused(503)],
  ];
  for (const [title, answer] of LATER)
    it(`that ${title} are asked for again, without a word and without holding anything up`, async () => {
      const { kinds, logged, why, later, end } = await asked(answer, answer, served());
      expect([why(), kinds.missing(), logged]).to.deep.equal([undefined, undefined, []]);
      await later(6_000);
      expect(kinds.missing()).to.deep.equal({ MarekvsCluster: [], MarekvsNode: [] });
      await end();
    });
});
