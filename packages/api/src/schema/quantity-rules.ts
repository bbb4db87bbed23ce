// CEL rules over quantities. string() is needed for a field that may be a whole number. On a field that is always text
// the API server cannot bound its result and refuses the whole CRD, so each field states its type.

import type { CelRule } from './field.ts';

export type QuantityField = 'text' | 'int-or-string';

/** A quantity above zero. */
export function positive(field: QuantityField, message: string): CelRule {
  const value = textOf(field, 'self');
  return { rule: `${isQuantity(value)} && quantity(${value}).isGreaterThan(quantity("0"))`, message };
}

/** Not below its previous value. */
export function notSmaller(field: QuantityField, message: string): CelRule {
  return { rule: atLeast(textOf(field, 'self'), textOf(field, 'oldSelf')), message };
}

/** Not below `bound`. What is not a quantity is left to the rule above. Both are expressions that give a text. */
export function atLeast(value: string, bound: string): string {
  const bothParse = `${isQuantity(value)} && ${isQuantity(bound)}`;
  return `!(${bothParse}) || quantity(${value}).compareTo(quantity(${bound})) >= 0`;
}

/** As quantity.ts has it. The API server itself would read an exponent of ten digits, which takes it minutes. */
function isQuantity(value: string): string {
  return `!${value}.matches('[eE][+-]?[0-9]{4}') && isQuantity(${value})`;
}

function textOf(field: QuantityField, variable: string): string {
  return field === 'text' ? variable : `string(${variable})`;
}
