export { KREW_NAME, type KrewArchive, krewManifest } from './krew/manifest.ts';
export { type Question, writeConsumer } from './npm/consumer.ts';
export { type Manifest, publishedManifest } from './npm/manifest.ts';
export { publicFolders, STAGE_FOLDER, type StagedPackage, stagePackages } from './npm/stage.ts';
export { olmBundle } from './olm/bundle.ts';
export type { OperatorVersion } from './olm/cluster-service-version.ts';
