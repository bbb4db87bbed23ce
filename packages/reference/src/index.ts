export { type Alert, secondsOf } from './alerts/alert.ts';
export { ALERTS, ruleOf } from './alerts/rules.ts';
export { dashboardQueries } from './dashboard/dashboard.ts';
export { metricCatalogue, seriesNames } from './metrics/catalogue.ts';
export { type AtRest, type OperatorAtRest, recordScale, type ScaleRow, type Spread } from './scale/record.ts';
