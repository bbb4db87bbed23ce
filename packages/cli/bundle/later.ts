// What only `validate` and `crds` need: the schema library, ajv and a YAML parser with positions.

export * as crd from '@marekvs/api/crd';
export * as validateText from '../src/validate/validate-text.ts';
