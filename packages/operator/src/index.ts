export { missingAccess, NEEDS } from './access-check.ts';
export { createOperator } from './app.ts';
export { type OperatorOptions, parseOptions } from './options.ts';
