// The bundle by which OLM installs the operator: files by their path. Generated from crds/ and config/, never by hand.

import { dump } from 'js-yaml';
import { clusterServiceVersion, type OperatorVersion } from './cluster-service-version.ts';
import { type Installed, whatIsInstalled } from './installed.ts';

/** The name of the package in a catalogue. */
const PACKAGE = 'marekvs-operator';
const CHANNEL = 'alpha';

/** @param root the project's folder */
export function olmBundle(root: string, version: OperatorVersion): ReadonlyMap<string, string> {
  const installed = whatIsInstalled(root);
  return new Map([
    ...installed.kinds.map(({ file, text }) => [`manifests/${file}`, text] as const),
    [`manifests/${PACKAGE}.clusterserviceversion.yaml`, yaml(clusterServiceVersion(installed, version))],
    ...installed.beside.map((one) => [`manifests/${fileOf(one)}`, yaml(withoutNamespace(one))] as const),
    ['metadata/annotations.yaml', yaml({ annotations: ANNOTATIONS })],
    ['bundle.Dockerfile', dockerfile()],
  ]);
}

/** What a catalogue reads of a bundle without opening its manifests; the image has the same as labels. */
const ANNOTATIONS: Readonly<Record<string, string>> = {
  'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
  'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
  'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
  'operators.operatorframework.io.bundle.package.v1': PACKAGE,
  'operators.operatorframework.io.bundle.channels.v1': CHANNEL,
  'operators.operatorframework.io.bundle.channel.default.v1': CHANNEL,
};

function dockerfile(): string {
  const labels = Object.entries(ANNOTATIONS).map(([key, value]) => `LABEL ${key}=${value}`);
  return ['FROM scratch', ...labels, 'COPY manifests /manifests/', 'COPY metadata /metadata/', ''].join('\n');
}

/** `poddisruptionbudget-marekvs-operator.yaml`: objects of two kinds may have the same name. */
function fileOf({ kind, metadata }: Installed): string {
  return `${kind.toLowerCase()}-${metadata.name}.yaml`;
}

/** OLM creates the object in the namespace of the operator. */
function withoutNamespace({ metadata: { namespace: _namespace, ...metadata }, ...rest }: Installed): object {
  return { ...rest, metadata };
}

function yaml(object: object): string {
  return dump(object, { noRefs: true, lineWidth: 120 });
}
