// The manifest for krew and the OLM bundle, as far as they can be checked without the tools of krew and OLM, which
// check them in test-e2e/distribution.test.ts.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';
import { krewManifest, type Manifest, olmBundle } from '../src/index.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the manifest for krew', () => {
  const cli: Manifest = JSON.parse(text('packages/cli/package.json'));
  const archive = { uri: 'https://archives.example/cli.tgz', sha256: 'a'.repeat(64) };

  it('has the version of the package, the archive, and the Node that the package asks for', () => {
    const made = JSON.stringify(krewManifest({ ...cli, version: '7.8.9', engines: { node: '>=21.3' } }, archive));
    expect(made).to.include('"version":"v7.8.9"').and.include('Needs Node 21.3 or newer');
    expect(made).to.include(`"uri":"${archive.uri}","sha256":"${archive.sha256}","bin":"kubectl-mkv.cjs"`);
  });

  it('can only be made for the one program that it describes', () => {
    const make = (more: Partial<Manifest>) => () => krewManifest({ ...cli, ...more }, archive);
    expect(make({})).to.not.throw();
    expect(make({ bin: { 'kubectl-mkv': 'a.cjs', other: 'b.cjs' } })).to.throw('one program');
    expect(make({ bin: {} })).to.throw('one program');
    expect(make({ engines: { node: '20 || 22' } })).to.throw('not a version or newer');
    expect(make({ description: '' })).to.throw('no description');
  });
});

describe('the OLM bundle', () => {
  const bundle = olmBundle(ROOT, { version: '7.8.9', image: 'images.example/operator:7' });
  const file = (path: string): string => bundle.get(path) ?? expect.fail(`no ${path}`);

  it('has the shipped CRDs, byte for byte', () => {
    for (const name of ['marekvsclusters.yaml', 'marekvsnodes.yaml'])
      expect(file(`manifests/${name}`) === text(`crds/${name}`), name).to.equal(true);
  });

  it('has its version and its image wherever OLM reads them', () => {
    const version = load(file('manifests/marekvs-operator.clusterserviceversion.yaml')) as {
      readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
      readonly spec: { readonly version: string; readonly relatedImages: readonly { readonly image: string }[] };
    };
    expect([version.metadata.name, version.spec.version]).to.deep.equal(['marekvs-operator.v7.8.9', '7.8.9']);
    const images = [
      version.metadata.annotations.containerImage,
      ...version.spec.relatedImages.map(({ image }) => image),
    ];
    expect(images).to.deep.equal(['images.example/operator:7', 'images.example/operator:7']);
  });

  it('has labels in its image that agree with its annotations', () => {
    const { annotations } = load(file('metadata/annotations.yaml')) as {
      readonly annotations: Readonly<Record<string, string>>;
    };
    const labels = [...file('bundle.Dockerfile').matchAll(/^LABEL (.+?)=(.+)$/gm)].map(([, key, value]) => [
      key,
      value,
    ]);
    expect(Object.fromEntries(labels)).to.deep.equal(annotations);
    for (const part of ['manifests', 'metadata']) {
      expect(annotations[`operators.operatorframework.io.bundle.${part}.v1`]).to.equal(`${part}/`);
      expect(file('bundle.Dockerfile')).to.include(`COPY ${part} /${part}/\n`);
    }
  });
});
