export { BY_HAND, chartFiles } from './chart.ts';
export { type Question, writeConsumer } from './npm/consumer.ts';
export { type Manifest, publishedManifest } from './npm/manifest.ts';
export { STAGE_FOLDER, type StagedPackage, stagePackages } from './npm/stage.ts';
export { PROFILES, type Profile } from './profiles.ts';
export { openSource, type Source } from './source.ts';
export type { ChartFile } from './templates.ts';
