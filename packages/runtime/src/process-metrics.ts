// CPU and memory of this process. By hand instead of prom-client's default set, whose observers wake an idle
// process a hundred times a second.
import { Counter, Gauge, type Registry } from 'prom-client';

export function registerProcessMetrics(registry: Registry): void {
  const registers = [registry];
  let countedSeconds = 0;
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time, user and system',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const seconds = (user + system) / 1e6;
      this.inc(seconds - countedSeconds);
      countedSeconds = seconds;
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'process_heap_bytes',
    help: 'JavaScript heap in use',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  new Gauge({ name: 'process_start_time_seconds', help: 'When the process started', registers }).set(
    Math.round(Date.now() / 1000 - process.uptime()),
  );
}
