// `npm run fuzz -- --inputs 1000000`: the fuzzers of every decoder with more inputs than the gate has time for.

import { parseArgs } from 'node:util';
import { fuzz } from '../../api/test/fuzz/fuzz.ts';
import { storedValues } from '../../planner/test/contents/support/fuzzed-records.ts';
import { DECODERS } from '../../store-client/test/fuzz/decoders.ts';

const { values } = parseArgs({ options: { inputs: { type: 'string', default: '1000000' } } });
if (!/^[1-9][0-9]{0,8}$/.test(values.inputs)) throw new RangeError(`--inputs ${values.inputs}: not a number of inputs`);

for (const decoder of [...DECODERS, storedValues]) {
  const { decoded, costPerByte } = fuzz(decoder, Number(values.inputs));
  process.stdout.write(
    `${decoder.name}: ${values.inputs} inputs, ${decoded} of them decoded, at most ${costPerByte.toFixed(2)} a byte\n`,
  );
}
