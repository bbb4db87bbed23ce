import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { StoreError, StoreProtocolError, StoreTooLargeError } from '../src/errors.ts';
import { parseMetricsText } from '../src/member-metrics.ts';
import { type Labels, type Sample, scanSamples } from '../src/prometheus-text.ts';
import { sampleBody } from './support/samples.ts';

function scan(text: string | Uint8Array): Sample[] {
  const samples: Sample[] = [];
  scanSamples(text, (sample) => samples.push(sample));
  return samples;
}

const escapeLabel = (value: string): string => value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');
const printNumber = (value: number): string =>
  Object.is(value, -0)
    ? '-0'
    : Number.isNaN(value)
      ? 'NaN'
      : Number.isFinite(value)
        ? String(value)
        : value > 0
          ? '+Inf'
          : '-Inf';

const name = fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,12}$/);
const labels: fc.Arbitrary<Labels> = fc
  .uniqueArray(fc.tuple(name, fc.string({ unit: 'grapheme' })), { selector: ([key]) => key, maxLength: 3 })
  .map((pairs) => Object.assign(Object.create(null), Object.fromEntries(pairs)));
const anySample: fc.Arbitrary<Sample> = fc.record({
  name,
  labels,
  value: fc.double(),
  timestampMs: fc.option(fc.integer({ min: -1e14, max: 1e14 }), { nil: undefined }),
});

function print({ name: key, labels: pairs, value, timestampMs }: Sample, blank: string): string {
  const inner = Object.entries(pairs).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  const braces = inner.length > 0 ? `{${inner.join(`,${blank}`)}}` : '';
  return `${key}${braces} ${blank}${printNumber(value)}${timestampMs === undefined ? '' : ` ${timestampMs}`}\n`;
}

describe('scanSamples', () => {
  it('reads back any samples with escapes, NaN, Inf and timestamps, with comments between them', () => {
    fc.assert(
      fc.property(fc.array(anySample), fc.constantFrom('', ' ', '\t'), fc.boolean(), (samples, blank, asBytes) => {
        const text = samples.map((one) => `# HELP x "{ \\\n\n${print(one, blank)}`).join('');
        expect(
          scan(asBytes ? new TextEncoder().encode(text) : text).map((one) => ({ ...one, labels: { ...one.labels } })),
        ).to.deep.equal(samples.map((one) => ({ ...one, labels: { ...one.labels } })));
      }),
    );
  });

  it('reads the histogram lines of the real answer with their labels', () => {
    const samples = scan(sampleBody('http_metrics.txt'));
    expect(samples).to.have.length(117);
    const bucket = samples.find((one) => one.labels.cmd === 'set' && one.labels.le === '+Inf');
    expect(bucket?.value).to.equal(628);
  });

  const bad = [
    'a\n',
    'a \n',
    'a 1',
    'a 0x10\n',
    'a 1 2 3\n',
    'a 1 x\n',
    'a 1 -\n',
    'a 1e\n',
    '1a 1\n',
    'a{b} 1\n',
    'a{b=c} 1\n',
    'a{b="c} 1\n',
    'a{b="c"\n',
    'a{b="c"d="e"} 1\n',
    'a{b="c",b="d"} 1\n',
    '<html>\n',
    '{"json": 1}\n',
    'a{b="c\nd"} 1\n',
    '# comment',
  ];
  for (const text of bad) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => scan(text)).to.throw(StoreProtocolError);
    });
  }

  it('refuses a name of any length in a message of bounded length', () => {
    for (const text of [`a{${'b'.repeat(9_000)}} 1\n`, `a{${'b'.repeat(9_000)}=c} 1\n`, `${'<'.repeat(9_000)}\n`])
      expect(() => scan(text))
        .to.throw(StoreProtocolError)
        .with.property('message')
        .that.has.length.below(200);
  });

  it('gives samples or a StoreError for garbage, never another exception', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a{}="\\,.0-9eNI# \n+-]{0,60}$/), (text) => {
        try {
          scan(text);
        } catch (error) {
          expect(error).to.be.instanceOf(StoreError);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('parseMetricsText', () => {
  const real = sampleBody('http_metrics.txt');

  it('reads the real answer with its exact figures', () => {
    const metrics = parseMetricsText(real);
    expect(metrics).to.include({
      isFresh: true,
      nodeId: 1,
      upSeconds: 12,
      aeRounds: 2,
      bootstrapsCompleted: 2716,
      rejoinActive: 0,
      meshPeers: 2,
      clusterMembers: 3,
      underreplicatedPartitions: 0,
      ownedPartitions: 2716,
      connectedClients: 1,
      commandsTotal: 664,
      housekeepingCommandsTotal: 36,
      commandErrorsTotal: undefined,
      diskTotalBytes: 270553174016,
      diskAvailBytes: 79477342208,
      dbTotalBytes: 0,
      diskWriteStopped: 0,
    });
  });

  it('treats a missing family as unknown, not as zero', () => {
    for (const [family, field] of [
      ['marekvs_ae_rounds_total', 'aeRounds'],
      ['marekvs_cluster_members', 'clusterMembers'],
      ['marekvs_commands_total', 'commandsTotal'],
      ['marekvs_info', 'nodeId'],
    ] as const) {
      const without = real
        .split('\n')
        .filter((one) => !one.startsWith(family))
        .join('\n');
      expect(parseMetricsText(without)[field], family).to.equal(undefined);
    }
  });

  it('treats NaN and Inf as unknown', () => {
    for (const value of ['NaN', '+Inf', '-Inf']) {
      expect(parseMetricsText(real.replace('_rounds_total 2', `_rounds_total ${value}`)).aeRounds).to.equal(undefined);
    }
  });

  it('takes only an id that a node can have for one', () => {
    for (const id of ['65535', '99999', '01', '-1', '1.5', ''])
      expect(parseMetricsText(real.replace('node_id="1"', `node_id="${id}"`)).nodeId, id).to.equal(undefined);
    expect(parseMetricsText(real.replace('node_id="1"', 'node_id="65534"')).nodeId).to.equal(65_534);
  });

  it('reports that figures are not fresh before the first stats pass, when members is 0 or missing', () => {
    expect(parseMetricsText(real.replace('_cluster_members 3', '_cluster_members 0')).isFresh).to.equal(false);
    expect(parseMetricsText(real.replace('marekvs_cluster_members 3\n', '')).isFresh).to.equal(false);
  });

  it('adds up commands and errors over all names of commands, including unknown ones', () => {
    const odd = 'marekvs_commands_total{cmd="a\\"}\\n{"} 5\nmarekvs_commands_total{cmd="__proto__"} 1\n';
    const errors = 'marekvs_command_errors_total{cmd="get"} 2\nmarekvs_command_errors_total{cmd="set"} 3\n';
    const metrics = parseMetricsText(real + odd + errors);
    expect([metrics.commandsTotal, metrics.commandErrorsTotal, metrics.housekeepingCommandsTotal]).to.deep.equal([
      670, 5, 36,
    ]);
  });

  it('refuses a duplicate series, a sum with an unknown part, and text of another program', () => {
    for (const text of [
      `${real}marekvs_mesh_peers 3\n`,
      `${real}marekvs_commands_total{cmd="set"} 1\n`,
      `${real}marekvs_commands_total{cmd="get"} NaN\n`,
      'go_goroutines 7\n',
      '',
      '<html>oops</html>\n',
    ]) {
      expect(() => parseMetricsText(text), text.slice(-40)).to.throw(StoreProtocolError);
    }
  });

  it('reads 8,192 samples, of which any client can make more, and refuses one more', () => {
    const text = (count: number) =>
      Array.from({ length: count }, (_, i) => `marekvs_commands_total{cmd="c${i}"} 1\n`).join('');
    expect(parseMetricsText(text(8_192)).commandsTotal).to.equal(8_192);
    expect(() => parseMetricsText(text(8_193)))
      .to.throw(StoreTooLargeError)
      .with.property('limit', 8_192);
  });

  it('gives an error or only true figures for a cut-off text, never a wrong figure', () => {
    const whole = parseMetricsText(real);
    fc.assert(
      fc.property(fc.nat({ max: real.length - 1 }), (cut) => {
        try {
          const part = parseMetricsText(real.slice(0, cut));
          for (const [field, value] of Object.entries(part)) {
            // A sum over commands may lack some, and freshness needs its gauge; both can only be too low.
            if (
              value === undefined ||
              field.endsWith('CommandsTotal') ||
              field === 'commandsTotal' ||
              field === 'isFresh'
            )
              continue;
            expect(value, field).to.equal(whole[field as keyof typeof whole]);
          }
        } catch (error) {
          expect(error).to.be.instanceOf(StoreProtocolError);
        }
      }),
    );
  });
});
