// The answers of the real three-node cluster (marekvs git defc648, replicationFactor 2), byte for byte.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export function sample(name: string): Uint8Array {
  const bytes = readFileSync(new URL(`../samples/${name}`, import.meta.url));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

export function sampleText(name: string): string {
  return new TextDecoder().decode(sample(name));
}

/** The body of a recorded HTTP answer. */
export function sampleBody(name: string): string {
  const text = sampleText(name);
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}
