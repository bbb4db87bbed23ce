// Replaces cluster DNS: lines `ip[,ip...] name`, rewritten by the local kubelet. Without a file no name is known.

import fs from 'node:fs';

/** Addresses of `host`; empty when it is not listed or there is no file. */
export function resolveHost(file: string | undefined, host: string): readonly string[] {
  if (file === undefined) return [];
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const addresses = new Set<string>();
  for (const line of text.split('\n')) {
    const [ips, ...names] = line.trim().split(/\s+/);
    if (ips === undefined || !names.includes(host)) continue;
    for (const ip of ips.split(',')) if (ip !== '') addresses.add(ip);
  }
  return [...addresses];
}
