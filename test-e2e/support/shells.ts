// The shells in which completion is tried, if they are installed, and what makes each of them complete a line without a
// person at the keyboard.

import { execFileSync } from 'node:child_process';

/** A line of that shell that prints the completions of the last word. Words are quoted as needed. */
export const COMPLETIONS = {
  bash: (words: readonly string[]) =>
    `source <(kubectl-mkv completion bash); COMP_WORDS=(kubectl-mkv ${words.join(' ')}); COMP_CWORD=${words.length}; _kubectl_mkv; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words: readonly string[]) =>
    `compdef() { true }; compadd() { shift; print -l -- "$@" }; source <(kubectl-mkv completion zsh); words=(kubectl-mkv ${words.join(' ')}); CURRENT=${words.length + 1}; _kubectl_mkv`,
  fish: (words: readonly string[]) =>
    `kubectl-mkv completion fish | source; complete -C 'kubectl-mkv ${words.join(' ').replace(/''$/, '')}'`,
  sh: (words: readonly string[]) => `kubectl __complete mkv ${words.join(' ')} 2>/dev/null | grep -v '^:'`,
} as const;

/** What kubectl itself needs before it completes `kubectl mkv`: a file in PATH, made once. */
export const FOR_KUBECTL = 'kubectl-mkv completion kubectl > kubectl_complete-mkv && chmod +x kubectl_complete-mkv';

/** Looks where the plugin would find it, too. */
export function has(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `PATH=/usr/bin:/bin command -v ${program}`], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
