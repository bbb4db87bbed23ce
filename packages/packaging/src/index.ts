export { BY_HAND, chartFiles } from './chart.ts';
export { PROFILES, type Profile } from './profiles.ts';
export { openSource, type Source } from './source.ts';
export type { ChartFile } from './templates.ts';
