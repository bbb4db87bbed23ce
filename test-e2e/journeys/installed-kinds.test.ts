// An operator that starts over kinds of an older version, on a real API server: what it says, where, and that the
// command it names mends it without a restart (F96).
// Own API server: the kinds are replaced.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';

interface Crd {
  readonly spec: { readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: Schema } }] };
}

interface Schema {
  readonly properties: Record<string, Schema>;
}

const shipped = (): Crd => load(readFileSync(join(projectRoot, 'crds', 'marekvsclusters.yaml'), 'utf8')) as Crd;

/** The kind as it was before there was spec.clients. */
function older(): Crd {
  const crd = shipped();
  delete crd.spec.versions[0].schema.openAPIV3Schema.properties.spec?.properties.clients;
  return crd;
}

describe('an operator over kinds of an older version', () => {
  const testbed = withTestbed({ before, after }, { operator: false, kubelet: false, withControllerManager: false });
  const apply = (crd: Crd) => testbed().apply([crd as never]);
  const ready = async () => {
    const answer = await fetch(`http://${testbed().operator.healthAddress}/readyz`);
    return [answer.status, (await answer.text()).trim()] as const;
  };
  const servedText = async () =>
    JSON.stringify(
      await testbed().transport.request({
        verb: 'get',
        path: '/openapi/v3/apis/marekvs.io/v1alpha1',
        resource: 'openapi',
        subject: 'schemas',
      }),
    );
  const metric = async () => {
    const text = await (await fetch(`http://${testbed().operator.metricsAddress}/metrics`)).text();
    return text.split('\n').filter((line) => line.startsWith('marekvs_operator_missing_fields{'));
  };

  it('is not ready, and names the field and the command in its log, in /readyz and in a metric', async () => {
    await apply(older());
    await eventually(
      'the older kind is served',
      async () => !(await servedText()).includes('Who may connect to the members'),
    );
    await testbed().startOperator();
    const text = 'MarekvsCluster lacks spec.clients: apply the kinds of this version: kubectl apply -k config/crd';
    await eventually('it says so', async () => (await ready())[1] === `kinds: ${text}`);
    expect((await ready())[0]).to.equal(503);
    const logs = await eventually('it is in the log', async () => {
      const all = await testbed().operator.logs();
      return all.includes('The installed kinds are older than this operator') && all;
    });
    expect(logs).to.include(text);
    expect(await metric()).to.deep.equal([
      'marekvs_operator_missing_fields{kind="MarekvsCluster"} 1',
      'marekvs_operator_missing_fields{kind="MarekvsNode"} 0',
    ]);
  });

  it('is ready by itself once the kinds are applied', async () => {
    await apply(shipped());
    await eventually('it is ready', async () => (await ready())[0] === 200, 90_000);
    expect(await testbed().operator.logs()).to.include('The installed kinds have every field now');
    expect((await metric()).map((line) => line.split(' ')[1])).to.deep.equal(['0', '0']);
  });
});
