// What only `validate` and `crds` need: the schema library, ajv and a YAML parser with positions.

import * as crd from '@marekvs/api/crd';
import * as validateText from '../src/verbs/validate/validate-text.ts';

export { crd, validateText };
