import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { renderKustomization } from '../src/control-plane/apply.ts';

describe('the rendering of a kustomization', () => {
  let folder = '';
  let kubectl = '';
  const named = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const answers = (name: string) => writeFile(kubectl, `#!/bin/sh\necho '${JSON.stringify(named(name))}'\n`);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marekvs-kustomization-'));
    kubectl = join(folder, 'kubectl');
    await answers('first');
    await chmod(kubectl, 0o755);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is made by kubectl each time without a cache', async () => {
    expect(await renderKustomization(kubectl, 'x')).to.deep.equal([named('first')]);
    await answers('second');
    expect(await renderKustomization(kubectl, 'x')).to.deep.equal([named('second')]);
  });

  it('is made once with a cache, in which nothing else is left', async () => {
    const keep = join(folder, 'kept.yaml');
    const both = ['x', 'x'].map((one) => renderKustomization(kubectl, one, keep));
    expect((await Promise.all(both)).flat()).to.deep.equal([named('second'), named('second')]);
    await answers('third');
    expect(await renderKustomization(kubectl, 'x', keep)).to.deep.equal([named('second')]);
    expect((await readdir(folder)).sort()).to.deep.equal(['kept.yaml', 'kubectl']);
  });
});
