// spec.deletionProtection as a person meets it: the shipped policies on a real API server, every rule both ways, with
// no operator running. Attempts are dry runs, which pass authorization and admission and change nothing.
// Own API server: it changes the policies, and protects what would have to go afterwards.

import { ANNOTATIONS, LABELS, type MarekvsNode, pvcName } from '@marekvs/api';
import { withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { PlainObject } from '../support/admission.ts';
import type { Attempts, Kind } from '../support/attempts.ts';
import { eventually } from '../support/eventually.ts';
import { createKube, type Kube, ownPath } from '../support/kube.ts';
import { createKubectl } from '../support/kubectl.ts';
import { checkedPolicies, installProtection, startTypeChecker, typeWarnings } from '../support/protection.ts';
import { createDoomedObjects, createProtectedObjects, nodeObject, OTHER_UID } from '../support/protection-objects.ts';
import { createUsers, WHO, type Who } from '../support/protection-users.ts';

const NS = 'protection';
const DOOMED = 'doomed';
const FORCE = ANNOTATIONS.forceRemove;

/** The sentences of the policies: a refusal with any other sentence fails the test. */
const NOT_THE_CLUSTER = /'marekvs-protected-clusters'.*spec\.deletionProtection is on/;
const NOT_A_PART = /'marekvs-protected-nodes-and-volumes'.*only the operator may delete it/;
const NOT_THE_LABEL = /'marekvs-protected-nodes-and-volumes'.*follows spec\.deletionProtection/;
const NOT_BY_FORCE = /'marekvs-forced-removal'.*needs the verb force-remove/;

describe('deletionProtection while no operator runs', () => {
  const testbed = withTestbed({ before, after }, { operator: false, kubelet: false });
  let users: Readonly<Record<Who, Attempts>>;
  let kube: Kube;

  before(async function () {
    this.timeout(60_000);
    kube = createKube(testbed().kubeconfigs.admin);
    await Promise.all([kube.createNamespace(NS), kube.createNamespace(DOOMED), startTypeChecker(testbed())]);
    // The policies come last, because they are not about creating what they guard.
    await createProtectedObjects(testbed(), kube, NS);
    await createDoomedObjects(testbed(), kube, DOOMED);
    await installProtection(testbed());
    users = await createUsers(testbed(), NS);
    await eventually('the policies are in force', async () =>
      [
        NOT_THE_CLUSTER.test(await as('admin').deletes('marekvsclusters', 'guarded')),
        NOT_A_PART.test(await as('admin').deletes('marekvsnodes', 'guarded-0')),
        NOT_BY_FORCE.test(await as('editor').createsNode(nodeObject('plain', 7, {}, { [FORCE]: 'x/y' }))),
      ].every(Boolean),
    );
    // At once, because the namespace controller waits five seconds before it begins.
    await kube.core.deleteNamespace({ name: DOOMED });
  });

  it('consists of policies that pass the type check of the API server', async () => {
    const policies = await checkedPolicies(kube.config);
    expect(policies.map(({ metadata }) => metadata?.name)).to.have.members([
      'marekvs-forced-removal',
      'marekvs-protected-kinds',
      'marekvs-protected-clusters',
      'marekvs-protected-nodes-and-volumes',
    ]);
    for (const { metadata, spec, status } of policies) {
      expect(status?.typeChecking, metadata?.name).to.not.equal(undefined);
      expect(status?.typeChecking?.expressionWarnings ?? [], metadata?.name).to.deep.equal([]);
      expect(spec?.failurePolicy, metadata?.name).to.equal('Fail');
    }
  });

  it('has a type check that would notice a field that does not exist', async () => {
    const warnings = await typeWarnings(kube.config, 'oldObject.spec.deletionProtektion == true');
    expect(warnings.join()).to.match(/undefined field 'deletionProtektion'/);
  });

  describe('of a cluster', () => {
    refused(['admin', 'editor', 'breaker', 'operator', 'ownOperator'], 'to delete it', NOT_THE_CLUSTER, (who) =>
      as(who).deletes('marekvsclusters', 'guarded'),
    );
    refused(['admin', 'editor'], 'to delete all of a namespace in one request', NOT_THE_CLUSTER, (who) =>
      as(who).deletesAll('marekvsclusters'),
    );
    allowed(['gc', 'namespaces', 'controllers'], 'to delete it', (who) =>
      as(who).deletes('marekvsclusters', 'guarded'),
    );
    allowed(['editor'], 'to delete one without it', (who) => as(who).deletes('marekvsclusters', 'plain'));
    allowed(['editor'], 'to switch it off', (who) =>
      as(who).patches('marekvsclusters', 'guarded', { spec: { deletionProtection: false } }),
    );
  });

  describe('of its nodes and volumes', () => {
    for (const [kind, name] of [
      ['marekvsnodes', 'guarded-0'],
      ['persistentvolumeclaims', pvcName('guarded', 0)],
    ] as const) {
      const unlabelled = name.replace('guarded', 'plain');
      const label = (value: string | null): PlainObject => ({ metadata: { labels: { [LABELS.protected]: value } } });

      refused(['admin', 'editor', 'breaker', 'otherOperator'], `to delete ${name}`, NOT_A_PART, (who) =>
        as(who).deletes(kind, name),
      );
      allowed(['operator', 'ownOperator', 'gc', 'namespaces', 'controllers'], `to delete ${name}`, (who) =>
        as(who).deletes(kind, name),
      );
      allowed(['editor'], `to delete ${unlabelled}, which has no label`, (who) => as(who).deletes(kind, unlabelled));

      for (const value of [null, 'false']) {
        const what = `to turn the label of ${name} into ${value ?? 'nothing'}`;
        refused(['editor', 'otherOperator', 'gc'], what, NOT_THE_LABEL, (who) => patch(who, kind, name, label(value)));
        allowed(['operator', 'ownOperator', 'breaker', 'admin'], what, (who) => patch(who, kind, name, label(value)));
      }
      allowed(['editor'], `to change anything else of ${name}`, (who) =>
        patch(who, kind, name, { metadata: { labels: { team: 'a' }, annotations: { note: 'b' } } }),
      );
      allowed(['operator', 'editor'], `to give the label to ${unlabelled}`, (who) =>
        patch(who, kind, unlabelled, label('true')),
      );
    }

    refused(['admin', 'editor'], 'to delete all nodes in one request', NOT_A_PART, (who) =>
      as(who).deletesAll('marekvsnodes'),
    );
    allowed(['editor'], 'to delete a node that somebody forced by its uid', (who) =>
      as(who).deletes('marekvsnodes', 'guarded-1'),
    );
    refused(['editor', 'breaker', 'admin'], 'to delete a volume that somebody forced by its uid', NOT_A_PART, (who) =>
      as(who).deletes('persistentvolumeclaims', pvcName('guarded', 1)),
    );
    refused(['editor'], 'to delete a node with the force of another uid', NOT_A_PART, (who) =>
      as(who).deletes('marekvsnodes', 'guarded-2'),
    );
  });

  describe('of the proof', () => {
    const force = (value: string | null): PlainObject => ({ metadata: { annotations: { [FORCE]: value } } });

    for (const name of ['guarded-0', 'plain-0', 'guarded-1']) {
      refused(['editor', 'operator'], `to force ${name}, with another word than it may have`, NOT_BY_FORCE, (who) =>
        patch(who, 'marekvsnodes', name, force(`${OTHER_UID}/I know`)),
      );
      allowed(['breaker', 'admin'], `to force ${name}`, (who) =>
        patch(who, 'marekvsnodes', name, force(`${OTHER_UID}/I know`)),
      );
    }
    allowed(['editor', 'operator'], 'to take the force of guarded-1 away', (who) =>
      patch(who, 'marekvsnodes', 'guarded-1', force(null)),
    );
    allowed(['editor', 'operator'], 'to change anything else of the forced guarded-1', (who) =>
      patch(who, 'marekvsnodes', 'guarded-1', { metadata: { annotations: { note: 'b' } } }),
    );
    refused(['editor', 'operator'], 'to create a node that is forced from the start', NOT_BY_FORCE, (who) =>
      as(who).createsNode(nodeObject('plain', 7, {}, { [FORCE]: 'x/y' })),
    );
    allowed(['editor', 'operator'], 'to create a node', (who) => as(who).createsNode(nodeObject('plain', 7)));
  });

  describe('as kubectl shows it,', () => {
    const tell = async (...args: readonly string[]): Promise<string> =>
      createKubectl(testbed())('-n', NS, ...args).catch((error: unknown) =>
        String((error as { readonly stderr?: string }).stderr),
      );

    it('names the one line that would help, and that line helps: the cluster goes, and its labelled node with it', async () => {
      const said = await tell('delete', 'mkv', 'remedied');
      console.log(`      ${said.trim()}`);
      expect(said.trim().split('\n')).to.have.length(1);
      expect(said).to.match(/^Error from server \(Forbidden\): .*"remedied" is forbidden/);
      const [, remedy = ''] = /kubectl (patch mkv .*)$/.exec(said.trim()) ?? [];
      const words = remedy.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
      expect(await createKubectl(testbed())(...words)).to.include('remedied patched');
      expect(await tell('delete', 'mkv', 'remedied', '--wait=false')).to.include('"remedied" deleted');
      await kube.until<MarekvsNode>(
        'the garbage collector takes the node of the deleted cluster',
        ownPath('marekvsnodes', NS),
        (nodes) => !nodes.some(({ metadata }) => metadata.name === 'remedied-0'),
        15_000,
      );
    });

    it('refuses to delete a kind, since all its objects would go unasked, and names the line that would help', async () => {
      const kubectl = createKubectl(testbed());
      for (const kind of ['marekvsclusters.marekvs.io', 'marekvsnodes.marekvs.io']) {
        const deleting = ['delete', 'crd', kind, '--dry-run=server'];
        const said = await kubectl(...deleting).catch((error: unknown) => String(Object(error).stderr));
        expect(said.trim().split('\n')).to.have.length(1);
        expect(said).to.include(`"${kind}" is forbidden`).and.include('protected or not');
        const [, remedy = ''] = /first: kubectl (annotate crd \S+ \S+)$/.exec(said.trim()) ?? [];
        await kubectl(...remedy.split(' '));
        expect(await kubectl(...deleting)).to.include('deleted (server dry run)');
      }
    });

    it('says in one line each what to do instead of deleting a node or a claim', async () => {
      const [said, ofClaim] = await Promise.all([
        tell('delete', 'mkvnode', 'guarded-0'),
        tell('delete', 'pvc', pvcName('guarded', 0)),
      ]);
      for (const text of [said, ofClaim]) {
        console.log(`      ${text.trim()}`);
        expect(text.trim().split('\n')).to.have.length(1);
        expect(text).to.include('Error from server (Forbidden)');
        expect(text).to.include(`kubectl patch mkv guarded -n ${NS} --type merge`);
      }
      expect(said).to.include('lower spec.nodes instead');
      expect(ofClaim).to.include(
        `if that is gone: kubectl label pvc ${pvcName('guarded', 0)} -n ${NS} marekvs.io/protected-`,
      );
    });
  });

  describe('in a namespace that is deleted', () => {
    it('does not hold up the cluster, its node and its claim', async () => {
      await eventually('nothing protected is left', async () => {
        const left = await Promise.all([
          kube.clusters(DOOMED),
          kube.nodes(DOOMED),
          kube.core.listNamespacedPersistentVolumeClaim({ namespace: DOOMED }).then(({ items }) => items),
        ]);
        return left.every((items) => items.length === 0);
      });
    });
  });

  function refused(who: readonly Who[], what: string, why: RegExp, ask: (who: Who) => Promise<string>): void {
    it(`refuses ${names(who)} ${what}`, async () => {
      for (const one of who) expect(await ask(one), WHO[one]).to.match(why);
    });
  }

  function allowed(who: readonly Who[], what: string, ask: (who: Who) => Promise<string>): void {
    it(`allows ${names(who)} ${what}`, async () => {
      for (const one of who) expect(await ask(one), WHO[one]).to.equal('allowed');
    });
  }

  function as(who: Who): Attempts {
    return users[who];
  }

  function patch(who: Who, kind: Kind, name: string, body: PlainObject): Promise<string> {
    return as(who).patches(kind, name, body);
  }
});

function names(who: readonly Who[]): string {
  return who.map((one) => WHO[one]).join(' and ');
}
