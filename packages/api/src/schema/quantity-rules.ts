// CEL rules over quantities. string() is needed for a field that may be a whole number. On a field that is always text
// the API server cannot bound its result and refuses the whole CRD, so each field states its type.

import type { CelRule } from './field.ts';

export type QuantityField = 'text' | 'int-or-string';

/** A quantity above zero. */
export function positive(field: QuantityField, message: string): CelRule {
  const value = textOf(field, 'self');
  return { rule: `isQuantity(${value}) && quantity(${value}).isGreaterThan(quantity("0"))`, message };
}

/** Not below its previous value. A value that is not a quantity is left to the rule above. */
export function notSmaller(field: QuantityField, message: string): CelRule {
  const [now, before] = [textOf(field, 'self'), textOf(field, 'oldSelf')];
  const bothParse = `isQuantity(${now}) && isQuantity(${before})`;
  return { rule: `!(${bothParse}) || quantity(${now}).compareTo(quantity(${before})) >= 0`, message };
}

function textOf(field: QuantityField, variable: string): string {
  return field === 'text' ? variable : `string(${variable})`;
}
