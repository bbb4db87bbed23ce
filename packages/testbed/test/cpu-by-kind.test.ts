// The gate's line about the kinds of programs that used its CPU.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCpuByKind, kindOf, type ProcessSeen } from '../src/reporting/cpu-by-kind.ts';

const ROOT = 10;

/** `ticks` are hundredths of a second. */
function seen(pid: number, parent: number, ticks: number, command = 'sh', start = 1): ProcessSeen {
  const fields = ['S', parent, ...Array(9).fill(0), ticks, 0, 0, 0, 20, 0, 1, 0, start];
  return { pid, parent, stat: `${pid} (a name) b) ${fields.join(' ')}`, command: () => command };
}
const API_SERVER = '/cache/kube-apiserver --etcd-servers=x';

describe('CPU seconds by kind', () => {
  it('are those of each process when it was last seen, and the rest of the total', () => {
    const counts = createCpuByKind(ROOT);
    counts.look([seen(ROOT, 1, 900), seen(11, ROOT, 100, API_SERVER), seen(12, 11, 50)]);
    counts.look([seen(ROOT, 1, 900), seen(11, ROOT, 300, API_SERVER)]);
    expect(counts.tell(10)).to.equal('API servers 3, others 1, short ones and the rest 7');
  });

  it('are those of descendants of the gate, also of a process that got another parent', () => {
    const counts = createCpuByKind(ROOT);
    counts.look([seen(ROOT, 1, 0), seen(11, ROOT, 0), seen(12, 11, 100, API_SERVER), seen(20, 1, 900, API_SERVER)]);
    counts.look([seen(12, 1, 200, API_SERVER), seen(20, 1, 900, API_SERVER)]);
    expect(counts.tell(2)).to.equal('API servers 2, others 0, short ones and the rest 0');
  });

  it('are counted for two processes when a pid is used again', () => {
    const counts = createCpuByKind(ROOT);
    counts.look([seen(11, ROOT, 200, API_SERVER, 1)]);
    counts.look([seen(11, ROOT, 100, API_SERVER, 2)]);
    expect(counts.tell(3)).to.equal('API servers 3, short ones and the rest 0');
  });

  it('are assigned to the programs of a gate by their command lines', () => {
    for (const [kind, command] of [
      ['etcd', '/c/etcd --data-dir=/tmp/x'],
      ['operators', 'node /tmp/marekvs-programs-1/operator/main.js --kubeconfig=x'],
      ['members', 'node --single-threaded /tmp/marekvs-programs-1/members/hosted.js'],
      ['lives', 'node --conditions=development /p/packages/reliability/src/run/worker.ts'],
      ['unit tests', 'node /p/packages/testbed/src/bin/mocha-worker.ts'],
      ['journeys themselves', 'node /p/packages/testbed/src/bin/mocha-run.ts /tmp/tally.json'],
      ['plugins', '/usr/bin/node /tmp/mkv-plugin-1/kubectl-mkv status'],
      ['kubectl', '/c/kubectl --kubeconfig x get pods'],
      ['others', 'bash'],
    ] as const)
      expect(kindOf(command), command).to.equal(kind);
  });
});
