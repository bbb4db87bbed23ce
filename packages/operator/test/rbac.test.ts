// The shipped permissions against what the operator says it needs: no more, no less. That it needs no more is shown by
// the journeys, which run with them.

import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { before, describe, it } from 'mocha';
import { missingAccess, NEEDS, parseOptions } from '../src/index.ts';

const CONFIG = resolve(import.meta.dirname, '../../../config');
const SUBJECT = { kind: 'ServiceAccount', name: 'marekvs-operator', namespace: 'marekvs-system' };

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface RbacObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly Rule[];
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly unknown[];
}

interface FlowSchema {
  readonly spec: {
    readonly rules: readonly {
      readonly subjects: readonly { readonly serviceAccount: unknown }[];
      readonly resourceRules: readonly { readonly verbs: readonly string[]; readonly namespaces: readonly string[] }[];
    }[];
  };
}

const read = async (file: string): Promise<unknown> => load(await readFile(join(CONFIG, file), 'utf8'));
const readRbac = async (file: string) => (await read(file)) as RbacObject;

/** `get pods.`, `get leases.coordination.k8s.io/marekvs-operator`: one line per grant, sorted, with duplicates. */
function grantsOf(rules: readonly Rule[]): readonly string[] {
  const lines = rules.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        (resourceNames ?? [undefined]).flatMap((name) =>
          verbs.map((verb) => `${verb} ${resource}.${group}${name === undefined ? '' : `/${name}`}`),
        ),
      ),
    ),
  );
  return lines.sort();
}

const needed = grantsOf(
  NEEDS.map(({ group, resource, verbs }) => ({ apiGroups: [group], resources: [resource], verbs })),
);

/** Useful, but not required: whether a host is being drained. Hosts are in no namespace, so a Role cannot grant it. */
const OPTIONAL = ['get nodes.'];

for (const { file, kind, optional } of [
  { file: 'components/cluster-role/cluster-role.yaml', kind: 'ClusterRole', optional: OPTIONAL },
  { file: 'components/namespace-role/role.yaml', kind: 'Role', optional: [] },
]) {
  describe(`config/${file}`, () => {
    let role: RbacObject;
    before(async () => {
      role = await readRbac(file);
    });

    it(`is a ${kind} that grants every need once and ${optional.join() || 'nothing'} besides`, () => {
      expect(role.kind).to.equal(kind);
      expect(grantsOf(role.rules)).to.deep.equal([...needed, ...optional].sort());
    });

    it('satisfies the check that the operator makes at start, also without what is optional', () => {
      const withoutHosts = role.rules.filter(({ resources }) => !resources.includes('nodes'));
      expect(withoutHosts.length).to.equal(role.rules.length - optional.length);
      expect(missingAccess(withoutHosts)).to.deep.equal([]);
    });

    it('has no wildcard', () => {
      const words = role.rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]);
      expect(words.filter((word) => word.includes('*'))).to.deep.equal([]);
    });

    it('does not allow any Secret to be read, each of which is granted by name in its namespace', () => {
      expect(grantsOf(role.rules).filter((grant) => grant.includes('secrets'))).to.deep.equal([]);
    });

    it('allows only nodes, Pods, volume claims and templates to be deleted, and no collection', () => {
      const grants = grantsOf(role.rules).filter((grant) => grant.startsWith('delete'));
      expect(grants).to.deep.equal([
        'delete controllerrevisions.apps',
        'delete marekvsnodes.marekvs.io',
        'delete persistentvolumeclaims.',
        'delete pods.',
      ]);
    });

    it('does not let the operator force a removal', () => {
      expect(grantsOf(role.rules).filter((grant) => grant.startsWith('force'))).to.deep.equal([]);
    });

    it('contains no way to more permissions', () => {
      const escalating = ['bind', 'escalate', 'impersonate', 'exec', 'token', 'rbac.authorization.k8s.io'];
      const grants = grantsOf(role.rules).filter((grant) => escalating.some((word) => grant.includes(word)));
      expect(grants).to.deep.equal([]);
    });
  });
}

describe('the Role of the lease', () => {
  let role: RbacObject;
  before(async () => {
    role = await readRbac('base/rbac/role-lease.yaml');
  });

  it('grants the requests of the election on one name, create, which has none, and the watch for replicas that share', () => {
    const lease = 'leases.coordination.k8s.io';
    expect(grantsOf(role.rules)).to.deep.equal([
      `create ${lease}`,
      `get ${lease}/marekvs-operator`,
      `list ${lease}`,
      `update ${lease}/marekvs-operator`,
      `watch ${lease}`,
    ]);
  });

  it('is in the namespace where the operator looks for the lease by default', () => {
    expect(role.kind).to.equal('Role');
    expect(role.metadata.namespace).to.equal('marekvs-system');
    const env = process.env;
    process.env = {};
    try {
      expect(parseOptions([]).namespace).to.equal(role.metadata.namespace);
    } finally {
      process.env = env;
    }
  });

  it('has the lease shipped under that name, held by nobody and in the same namespace', async () => {
    const lease = (await read('base/rbac/operator-lease.yaml')) as RbacObject;
    expect(lease).to.have.all.keys('apiVersion', 'kind', 'metadata');
    expect(lease.kind).to.equal('Lease');
    const names = role.rules.flatMap((rule) => rule.resourceNames ?? []);
    expect(names).to.deep.equal([lease.metadata.name]);
    expect(lease.metadata.namespace).to.equal(role.metadata.namespace);
  });

  it('has a flow schema for the same verbs in the same namespace', async () => {
    const { spec } = (await read('components/flow-control/leases.yaml')) as FlowSchema;
    const [rule] = spec.rules;
    const verbs = [...new Set(role.rules.flatMap((one) => one.verbs))].sort();
    expect(rule?.resourceRules.map((one) => [...one.verbs].sort())).to.deep.equal([verbs]);
    expect(rule?.resourceRules.map((one) => one.namespaces)).to.deep.equal([[role.metadata.namespace]]);
    const { name, namespace } = SUBJECT;
    expect(rule?.subjects.map((one) => one.serviceAccount)).to.deep.equal([{ name, namespace }]);
  });
});

describe('the bindings', () => {
  for (const [file, kind, role] of [
    ['components/cluster-role/cluster-role-binding.yaml', 'ClusterRole', 'components/cluster-role/cluster-role.yaml'],
    ['base/rbac/role-lease-binding.yaml', 'Role', 'base/rbac/role-lease.yaml'],
    ['components/namespace-role/role-binding.yaml', 'Role', 'components/namespace-role/role.yaml'],
  ] as const) {
    it(`${file} gives ${role} to the operator's service account and to no other`, async () => {
      const [binding, bound] = await Promise.all([readRbac(file), readRbac(role)]);
      expect(binding.kind).to.equal(`${kind}Binding`);
      expect(binding.roleRef).to.include({ kind, name: bound.metadata.name });
      expect(binding.subjects).to.deep.equal([SUBJECT]);
      expect(binding.metadata.namespace).to.equal(bound.metadata.namespace);
    });
  }

  it('of one namespace name none, so that they fit any', async () => {
    const role = await readRbac('components/namespace-role/role.yaml');
    expect(role.metadata.namespace).to.equal(undefined);
  });
});

describe('the folders of config', () => {
  const filesOf = async (folder: string) =>
    (await readdir(join(CONFIG, folder))).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');

  it('apply every file they have', async () => {
    const components = (await readdir(join(CONFIG, 'components'))).map((name) => `components/${name}`);
    expect(components).to.include.members(['components/cluster-role', 'components/ha']);
    for (const folder of ['base/rbac', 'base/manager', 'samples', ...components]) {
      const { resources = [], patches = [] } = (await read(`${folder}/kustomization.yaml`)) as {
        readonly resources?: readonly string[];
        readonly patches?: readonly { readonly path: string }[];
      };
      const applied = [...resources, ...patches.map(({ path }) => path)];
      expect(applied.sort(), folder).to.deep.equal((await filesOf(folder)).sort());
    }
  });

  it('have in base nothing but namespaced objects, so that the administrator of a namespace can apply it', async () => {
    for (const folder of ['base/rbac', 'base/manager'])
      for (const file of await filesOf(folder)) {
        const { metadata } = await readRbac(`${folder}/${file}`);
        expect(metadata.namespace, file).to.equal(SUBJECT.namespace);
      }
  });
});

describe('the roles for people', () => {
  const rulesOf = async (name: string) => grantsOf((await readRbac(`components/user-roles/${name}.yaml`)).rules);

  for (const name of ['view', 'edit', 'admin']) {
    it(`${name} joins the built-in role of that name`, async () => {
      const { labels } = (
        (await read(`components/user-roles/${name}.yaml`)) as { metadata: { labels: Record<string, string> } }
      ).metadata;
      const joined = Object.keys(labels).filter((label) => label.includes('aggregate-to'));
      expect(joined).to.deep.equal([`rbac.authorization.k8s.io/aggregate-to-${name}`]);
    });

    // The built-in admin may read ControllerRevisions, and nothing else about them.
    it(`${name} cannot force a removal and can only change the operator's kinds, events, templates and resources of Pods`, async () => {
      const grants = await rulesOf(name);
      expect(grants.filter((grant) => /force|\*|deletecollection/.test(grant))).to.deep.equal([]);
      expect(grants.filter((grant) => !grant.endsWith('.marekvs.io'))).to.deep.equal(
        name === 'admin'
          ? [
              'create controllerrevisions.apps',
              'create events.events.k8s.io',
              'delete controllerrevisions.apps',
              'patch controllerrevisions.apps',
              'patch pods/resize.',
            ]
          : [],
      );
    });
  }

  it('view cannot write anything', async () => {
    expect((await rulesOf('view')).filter((grant) => !/^(get|list|watch) /.test(grant))).to.deep.equal([]);
  });

  it('admin has, together with the two others, every right on its kinds and templates that it grants to the operator', async () => {
    const grants = new Set((await Promise.all(['view', 'edit', 'admin'].map(rulesOf))).flat());
    const ours = needed.filter(
      (grant) => grant.endsWith('.marekvs.io') || /^(create|patch|delete) controllerrev/.test(grant),
    );
    expect(ours.filter((grant) => !grants.has(grant))).to.deep.equal([]);
  });
});
