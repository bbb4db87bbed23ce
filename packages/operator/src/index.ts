export { missingAccess, NEEDS } from './api-server/access-check.ts';
export { createOperator } from './app.ts';
export { type OperatorOptions, parseOptions } from './process/options.ts';
