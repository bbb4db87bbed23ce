// A port forward by kubectl, as a child process that ends with this one. It reaches Pods for a user who may not use the
// API server's proxy, and gets past a NetworkPolicy, since it goes through the kubelet.

import { spawn } from 'node:child_process';
import type { ConnectOptions, PodPort, PortForward } from './ports.ts';

const HOST = '127.0.0.1';
const MAX_OUTPUT = 2_000;

export function forwardPort(to: PodPort, options: ConnectOptions, signal: AbortSignal): Promise<PortForward> {
  const args = ['port-forward', `pod/${to.name}`, `:${to.port}`, '--namespace', to.namespace, '--address', HOST];
  if (options.kubeconfig !== undefined) args.push('--kubeconfig', options.kubeconfig);
  if (options.context !== undefined) args.push('--context', options.context);
  return new Promise((resolve, reject) => {
    const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
    const close = (): void => void child.kill('SIGTERM');
    process.once('exit', close);
    let printed = '';
    let errors = '';
    const ended = new Promise<string>((end) => {
      child.once('error', (error) => end(messageOf(error)));
      child.once('close', (code) => end(lastLine(errors) ?? `kubectl port-forward ended with ${code}`));
    });
    void ended.then((why) => {
      process.removeListener('exit', close);
      reject(new Error(why));
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-MAX_OUTPUT);
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-MAX_OUTPUT);
      const port = /^Forwarding from 127\.0\.0\.1:(\d+) ->/m.exec(printed)?.[1];
      if (port !== undefined) resolve({ host: HOST, port: Number(port), ended, close });
    });
  });
}

function messageOf(error: Error): string {
  return 'code' in error && error.code === 'ENOENT' ? 'there is no kubectl in PATH' : error.message;
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1) || undefined;
}
