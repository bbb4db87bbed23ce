export { type Question, writeConsumer } from './npm/consumer.ts';
export { type Manifest, publishedManifest } from './npm/manifest.ts';
export { STAGE_FOLDER, type StagedPackage, stagePackages } from './npm/stage.ts';
