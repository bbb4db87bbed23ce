// The first hour of a new user: the shipped demo, the commands that are typed first, and the likely mistakes, each with
// what must be seen. As an administrator, and as a user who may edit one namespace and nothing else. What terminals
// draw is in packages/{cli,testbed}/test/screens.
// Own API server: the roles of people are installed here, which adds to the API server's own.
// Runs first: it takes two minutes.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MarekvsCluster } from '@marekvs/api';
import { projectRoot } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { installPlugin, type Plugin, type PluginResult } from '../support/plugin.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'hour';
const SAMPLE = join(projectRoot, 'config/samples/demo.yaml');
const EDITOR = 'editor-of-hour';

/** What is typed, how it ends, and what is seen of it on either stream. */
interface Row {
  readonly types: string;
  readonly ends?: number;
  readonly sees: readonly RegExp[];
  readonly not?: RegExp;
}

const ONE_NODE =
  'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nmetadata: {name: one}\nspec:\n  image: a:b\n  nodes: 1\n';
const TYPING_ERROR =
  'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nmetadata: {name: one}\nspec:\n  image: a:b\n  node: 3\n';

/** They only read, so their order does not matter. */
const LOOKS: readonly Row[] = [
  { types: 'kubectl get mkv', sees: [/^NAME +DESIRED +READY/, /^demo +3 +3 .*Healthy/m] },
  { types: 'kubectl get mkvnode', sees: [/^demo-2 +demo +2 +Active +3\/3 +True/m] },
  { types: 'kubectl mkv status', sees: [/^NAME +READY/, /^demo +3\/3 .*Healthy/m] },
  {
    types: 'kubectl mkv status demo',
    sees: [/^hour\/demo {2}Healthy {2}3 of 3 nodes ready/, /^demo-0 +Active +3\/3/m],
  },
  { types: 'kubectl mkv status -A', sees: [/^NAMESPACE +NAME/, /^hour +demo/m] },
  { types: 'COLUMNS= kubectl mkv status', sees: [/members are ready and agree/], not: /…/ },
  { types: 'COLUMNS=60 kubectl mkv status demo', sees: [/…$/m], not: /^.{61}/m },
  { types: 'kubectl mkv explain demo', sees: [/^hour\/demo: it is at its desired state/], not: /</ },
  { types: 'kubectl mkv plan demo', sees: [/nothing to do/] },
  { types: 'kubectl mkv top demo', sees: [/^demo-0 +\d+ +\d+ +- +\S+ +\d+% /m], not: /not read/ },
  { types: 'kubectl mkv top -A --interval 1', sees: [/^NAMESPACE +NODE/, /^hour +demo-2 +\d+/m], not: /not read/ },
  { types: 'kubectl mkv autoscale demo', sees: [/^hour\/demo {2}3 nodes, a fixed size/] },
  { types: 'kubectl mkv autoscale -A', sees: [/^NAMESPACE +NAME +MIN +MAX +SIZE/, /^hour +demo +- +- +3 .*fixed/m] },
  {
    types: 'kubectl logs -l marekvs.io/cluster=demo --prefix --tail 50',
    sees: [/^\[pod\/demo-0\/marekvs\] node 0 /m, /^\[pod\/demo-2\/marekvs\] node 2 /m],
  },
  { types: 'kubectl logs demo-0 --tail 1', sees: [/^node 0 /] },
  { types: 'kubectl logs demo-0 --previous', ends: 1, sees: [/previous terminated container .* not found/] },
  {
    types: 'kubectl logs -l marekvs.io/cluster=demo --prefix --previous --ignore-errors',
    sees: [/demo-0.* not found/, /demo-2.* not found/],
  },
  { types: 'kubectl events --for mkv/demo', sees: [/ClusterFormed +MarekvsCluster\/demo/] },
  { types: 'kubectl mkv volumes demo', sees: [/^data-demo-0 +Attached .* no /m] },
  { types: 'kubectl mkv connect demo', sees: [/^redis-cli -h 127\.\d+\.\d+\.\d+ -p 6379$/m] },
  {
    types: 'kubectl mkv validate -f one.yaml',
    sees: [/one\.yaml is valid|one is valid/, /one\.yaml:6:\d+: note: spec\.nodes is 1, .* keeps 3 nodes/],
  },
  {
    types: 'kubectl mkv validate -f wrong.yaml',
    ends: 1,
    sees: [/wrong\.yaml:6:\d+: spec\.node is no field of this kind/],
  },
  {
    types: 'kubectl mkv report demo --file bundle.tar.gz',
    sees: [/^bundle\.tar\.gz: \d+ files/],
    not: /logs\/demo-\d\.log/,
  },
  { types: 'kubectl mkv completion bash', sees: [/complete -o default -F _kubectl_mkv/] },
  { types: 'kubectl-mkv __complete -- restart demo-', sees: [/^demo-0\ndemo-1\ndemo-2$/m] },
  { types: 'kubectl mkv --help', sees: [/^ {2}restart /m, /^ {2}unmark /m, /^ {2}connect /m] },
  { types: 'kubectl auth can-i patch mkv --as someone --as-group x', ends: 1, sees: [/^no/] },
];

/** Mistakes, refusals and dry runs: nothing changes. */
const MISTAKES: readonly Row[] = [
  { types: 'kubectl mkv stauts', ends: 2, sees: [/unknown command 'stauts'/, /Did you mean status\?/] },
  { types: 'kubectl mkv status dmeo', ends: 3, sees: [/no cluster dmeo in namespace hour/, /did you mean demo\?/] },
  { types: 'kubectl mkv status demo -n huor', ends: 3, sees: [/namespace huor/] },
  { types: 'kubectl mkv scale demo', ends: 2, sees: [/missing required argument 'nodes'/] },
  { types: 'kubectl mkv scale demo 1', ends: 4, sees: [/error: 1 node is below replicationFactor \+ 1 = 3/] },
  { types: 'kubectl mkv scale demo many', ends: 2, sees: [/a whole number from 1 to 1000/] },
  {
    types: 'kubectl mkv scale demo 2',
    ends: 4,
    sees: [/below replicationFactor \+ 1 = 3/, /kubectl mkv replace demo-2 -n hour/],
  },
  { types: 'kubectl scale mkv/demo --replicas=0', ends: 1, sees: [/spec\.nodes/] },
  { types: 'kubectl mkv remove demo-9', ends: 3, sees: [/no MarekvsNode demo-9 in namespace hour/] },
  {
    types: 'kubectl mkv remove demo-1 --shrink',
    ends: 4,
    sees: [/below replicationFactor/, /kubectl mkv replace demo-1 -n hour/],
    not: / 0 nodes/,
  },
  { types: 'kubectl mkv cancel demo', sees: [/nothing is under way on demo/] },
  { types: 'kubectl mkv unmark demo-0', sees: [/demo-0 is not marked/] },
  { types: 'kubectl mkv force-remove demo-0', ends: 2, sees: [/WITHOUT proof/, /--uid is needed/] },
  { types: 'kubectl mkv force-remove demo-0 --uid wrong --reason why', ends: 4, sees: [/not the UID of demo-0/] },
  { types: 'kubectl mkv scale demo 5 --dry-run', sees: [/^demo: spec\.nodes 3 -> 5 \(dry run\)$/m], not: /next/ },
  { types: 'kubectl mkv replace demo-0 --dry-run', sees: [/demo-0 is to be replaced \(dry run\)/] },
  { types: 'kubectl mkv pause demo --dry-run', sees: [/demo is paused \(dry run\)/] },
  { types: 'kubectl mkv resume demo', sees: [/demo is not paused/] },
  { types: 'kubectl mkv adopt demo', sees: [/run by this operator already/] },
  { types: 'kubectl mkv status demo -o json | head -c 1', sees: [/^\{/], not: /EPIPE/ },
  { types: 'kubectl mkv status demo --watch -o json', ends: 2, sees: [/--watch is for people/] },
];

/** Typed by a user who may edit this namespace and nothing else. */
const AS_EDITOR: readonly Row[] = [
  { types: 'kubectl mkv status demo', sees: [/hour\/demo {2}Healthy/, /^demo-0 +Active .* 10Gi/m], not: /not seen/ },
  {
    types: 'kubectl mkv explain demo',
    sees: [/it is at its desired state/, /not read: .*hosts \(403 Forbidden\)/s],
  },
  { types: 'kubectl mkv top demo', sees: [/^demo-0 +\d+ /m], not: /not read/ },
  { types: 'kubectl logs demo-0 --tail 1', sees: [/^node 0 /] },
  { types: 'kubectl events --for mkv/demo', sees: [/ClusterFormed/] },
  { types: 'kubectl mkv connect demo', sees: [/redis-cli -h 127\./] },
  { types: 'kubectl mkv scale demo 4 --dry-run', sees: [/3 -> 4 \(dry run\)/] },
  { types: 'kubectl mkv remove demo-1', sees: [/demo-1 is marked to leave first/, /kubectl mkv replace demo-1/] },
  { types: 'kubectl mkv unmark demo-1', sees: [/demo-1 is no longer marked to leave first/] },
  { types: 'kubectl mkv restart demo-1 --dry-run', sees: [/demo-1 is restarted on its volume \(dry run\)/] },
  { types: 'kubectl mkv verify demo --no-wait', sees: [/demo is asked to be compared/] },
  {
    types: 'kubectl mkv status -A',
    ends: 5,
    sees: [/cannot list resource/, /kubectl auth can-i list marekvsclusters\.marekvs\.io/],
  },
  { types: 'kubectl mkv top -A', ends: 5, sees: [/cannot list resource/] },
  { types: 'kubectl mkv autoscale -A', ends: 5, sees: [/cannot list resource/] },
];

describe('the first hour', function () {
  this.timeout(60_000);
  const world = withWorld({ before, after }, { userRoles: true });
  let plugin: Plugin;
  let editor: string;

  /** In the namespace of the context, as after `kubectl config set-context --current --namespace`. */
  const types = (line: string, kubeconfig = world().testbed.kubeconfigs.admin): Promise<PluginResult> =>
    plugin.type(line, { shell: 'bash', env: { KUBECONFIG: kubeconfig } });
  const seen = ({ out, err }: PluginResult): string => `${out}${err}`;
  async function meets({ types: line, ends = 0, sees, not }: Row, kubeconfig?: string): Promise<void> {
    const result = await types(line, kubeconfig);
    const text = seen(result);
    expect(result.code, text).to.equal(ends);
    for (const pattern of sees) expect(text, line).to.match(pattern);
    if (not !== undefined) expect(text, line).to.not.match(not);
  }
  const calm = async (nodes: number): Promise<void> => {
    await world().kube.healthy(NS, 'demo', nodes, 30_000);
    // A restart is refused while a record has no other copy, or another member is away.
    const line = "kubectl wait --for=jsonpath='{.status.disruptionsAllowed}'=1 pdb/demo --timeout=40s";
    expect((await types(line)).code, 'the disruption budget allows one').to.equal(0);
  };

  before(async function () {
    this.timeout(120_000);
    const { kube, testbed } = world();
    await kube.createNamespace(NS);
    plugin = await installPlugin(testbed);
    editor = await testbed.controlPlane.addUser(EDITOR, ['system:authenticated']);
    await Promise.all([
      testbed.apply([SAMPLE], NS).then(() => kube.healthy(NS, 'demo', 3, 40_000)),
      writeFile(join(plugin.folder, 'one.yaml'), ONE_NODE),
      writeFile(join(plugin.folder, 'wrong.yaml'), TYPING_ERROR),
    ]);
    for (const kubeconfig of [testbed.kubeconfigs.admin, editor])
      await types(`kubectl config set-context --current --namespace=${NS}`, kubeconfig);
    await types(`kubectl create rolebinding editor --clusterrole=edit --user=${EDITOR}`);
    await eventually('the controller has added our rules to the role edit', async () => {
      const { code } = await types(`kubectl auth can-i patch mkvnode --as=${EDITOR}`);
      return code === 0;
    });
    await calm(3);
  });
  after(() => plugin?.remove());

  describe('looking around', () => {
    for (const row of LOOKS) it(`with ${row.types} shows what is there`, () => meets(row));
  });

  describe('a mistake', () => {
    for (const row of MISTAKES) it(`such as ${row.types} is answered with what to do`, () => meets(row));

    it('of these has changed nothing', async () => {
      const { spec } = await world().kube.cluster(NS, 'demo');
      expect([spec.nodes, spec.paused ?? false]).to.deep.equal([3, false]);
      const nodes = await world().kube.nodes(NS);
      expect(nodes.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).to.deep.equal([]);
    });
  });

  describe('with the rights of an editor of the namespace,', () => {
    for (const row of AS_EDITOR) it(`${row.types} works, or names the missing right`, () => meets(row, editor));

    it('the dry run of a restart has restarted nobody', async () => {
      const { items } = await world().kube.core.listNamespacedPod({ namespace: NS });
      const ages = items.map(({ metadata }) => [metadata?.name, metadata?.deletionTimestamp]);
      expect(ages).to.deep.equal(['demo-0', 'demo-1', 'demo-2'].map((name) => [name, undefined]));
    });

    it('kubectl mkv force-remove is refused by admission, which names the role', async () => {
      const nodes = await world().kube.nodes(NS);
      const uid = nodes.find(({ metadata }) => metadata.name === 'demo-0')?.metadata.uid;
      await meets(
        {
          types: `kubectl mkv force-remove demo-0 --uid ${uid} --reason broken`,
          ends: 4,
          sees: [/skips the proof/, /marekvs-force-remove/],
        },
        editor,
      );
    });
  });

  describe('a Secret with a password', () => {
    const conditions =
      (reason: string) =>
      ({ status }: MarekvsCluster) =>
        status?.conditions?.some((one) => one.status === 'True' && one.reason === reason) === true;
    const makes = 'kubectl create secret generic pw --from-literal=password=once';

    it('that is deleted is missed within a minute, and is used again when it comes back', async () => {
      const { kube } = world();
      await meets({ types: makes, sees: [/created/] });
      await kube.createCluster(NS, 'safe', { ...plainSpec(3), auth: { secretRef: { name: 'pw', key: 'password' } } });
      await meets({ types: 'kubectl mkv auth grant safe --apply', sees: [/may read and follow Secret pw\n/] });
      await kube.healthy(NS, 'safe', 3, 60_000);
      await meets({ types: 'kubectl delete secret pw', sees: [/deleted/] });
      await kube.clusterUntil(NS, 'safe', 'its Secret is missed', conditions('SecretMissing'), 60_000);
      await meets({ types: 'kubectl mkv explain safe', ends: 4, sees: [/1\. SecretMissing .*\(blocked\)/] });
      await meets({ types: makes, sees: [/created/] });
      await kube.healthy(NS, 'safe', 3, 60_000);
    }).timeout(240_000);

    it('outlives its cluster, of which nothing is left behind', async () => {
      const sentinels = async () =>
        (await types('kubectl get controllerrevisions -l marekvs.io/secret-uid -o name')).out;
      await eventually('its sentinel is there', async () => (await sentinels()) !== '');
      await meets({ types: 'kubectl delete mkv safe', sees: [/deleted/] });
      await eventually('nothing is left', async () => (await sentinels()) === '');
    });
  });

  describe('when the cluster is changed,', () => {
    it('verify compares the members at once', async () => {
      await meets({ types: 'kubectl mkv verify demo --timeout 30s', sees: [/every record is on every home of it/] });
    });

    it('scale does what kubectl scale does', async () => {
      await meets({ types: 'kubectl mkv scale demo 4', sees: [/^demo: spec\.nodes 3 -> 4\nnext: one node joins/] });
      await calm(4);
    });

    it('cancel takes a removal back and names the marks that stay', async () => {
      await meets({ types: 'kubectl mkv pause demo', sees: [/next: kubectl mkv resume demo -n hour/] });
      await meets({ types: 'kubectl mkv remove demo-0', sees: [/demo-0 is marked to leave first/] });
      await meets({ types: 'kubectl mkv remove demo-1 --shrink', sees: [/spec\.nodes 4 -> 3/, /it is paused/] });
      await meets({ types: 'kubectl mkv restart demo-2', ends: 4, sees: [/demo is paused/] });
      await meets({
        types: 'kubectl mkv cancel demo',
        sees: [/spec\.nodes 3 -> 4/, /still marked to leave first: demo-[01]; kubectl mkv unmark demo-[01] -n hour/],
      });
      for (const name of ['demo-0', 'demo-1']) await types(`kubectl mkv unmark ${name}`);
      await meets({ types: 'kubectl mkv cancel demo', sees: [/nothing is under way on demo/], not: /still marked/ });
      await meets({ types: 'kubectl mkv resume demo', sees: [/demo is no longer paused/] });
      await calm(4);
    });

    it('restart brings one member back on its volume, and refuses a second one meanwhile', async () => {
      const uidOf = async () => (await types("kubectl get pod demo-2 -o jsonpath='{.metadata.uid}'")).out;
      const before = await uidOf();
      // So that nobody makes the Pod again before the next command is typed.
      await world().testbed.operator.kill();
      await meets({ types: 'kubectl mkv restart demo-2', sees: [/demo-2 is restarted on its volume/] });
      // Its Pod is away, so either the plugin or the disruption budget refuses.
      await meets({
        types: 'kubectl mkv restart demo-3',
        ends: 4,
        sees: [/demo-2 is not up|disruption budget/, /--force/],
      });
      await world().testbed.operator.restart();
      await eventually(
        'another Pod runs demo-2',
        async () => {
          const now = await uidOf();
          return now !== '' && now !== before;
        },
        30_000,
      );
      await calm(4);
      await meets({ types: "kubectl get pvc data-demo-2 -o jsonpath='{.status.phase}'", sees: [/^Bound$/] });
    });

    it('an image that does not exist is named, with what to type', async () => {
      const { kube } = world();
      await kube.createCluster(NS, 'typo', plainSpec(3, { image: 'ghcr.io/yannick/marekvs:lates' }));
      const explained = await eventually(
        'explain names the image',
        async () => {
          const result = await types('kubectl mkv explain typo');
          return /ImagePullFailed/.test(result.out) ? result : undefined;
        },
        30_000,
      );
      expect(explained.code, explained.out).to.equal(4);
      expect(explained.out)
        .to.include('kubectl edit mkv typo -n hour')
        .and.not.match(/<[a-z]/);
      await meets({ types: 'kubectl mkv connect typo', ends: 4, sees: [/no member of typo takes clients now/] });
    });

    it('explain says that there is no operator, and names no Deployment that does not exist', async () => {
      const { testbed, kube } = world();
      await testbed.operator.stop();
      const { code, out } = await eventually(
        'the lease is seen as free',
        async () => {
          const result = await types('kubectl mkv explain demo');
          return /OperatorDown|OperatorLeaseFree/.test(result.out) ? result : undefined;
        },
        30_000,
      );
      expect([code, /deploy\/marekvs-operator/.test(out)], out).to.satisfy(
        ([end, isNamed]: [number, boolean]) => [0, 4].includes(end) && !isNamed,
      );
      expect(out).to.include('kubectl get deploy,pods -A -l app.kubernetes.io/name=marekvs-operator');
      await testbed.operator.restart();
      await kube.healthy(NS, 'demo', 4, 40_000);
    });
  });
});
