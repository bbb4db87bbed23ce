export { EVENT_CATALOGUE } from './events/event-catalogue.ts';
export { metricCatalogue, seriesNames } from './metrics/catalogue.ts';
export { REASON_GUIDE } from './reasons/reason-guide.ts';
export { type AtRest, type OperatorAtRest, recordScale, type ScaleRow, type Spread } from './scale/record.ts';
