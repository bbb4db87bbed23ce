// CPU and memory of this process. By hand instead of prom-client's default set, whose observers wake an idle
// process a hundred times a second.
import { Counter, type Registry } from 'prom-client';
import { createMeters } from './meters.ts';

export function registerProcessMetrics(registry: Registry): void {
  const { gauge } = createMeters(registry);
  let countedSeconds = 0;
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time, user and system',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      const seconds = (user + system) / 1e6;
      this.inc(seconds - countedSeconds);
      countedSeconds = seconds;
    },
  });
  gauge('process_resident_memory_bytes', 'Resident memory', [], (it) => it.set(process.memoryUsage.rss()));
  gauge('process_heap_bytes', 'JavaScript heap in use', [], (it) => it.set(process.memoryUsage().heapUsed));
  gauge('process_start_time_seconds', 'When the process started').set(Math.round(Date.now() / 1000 - process.uptime()));
}
