// Puts the view on the output: drawn in place on a terminal, one line per change anywhere else.
import { changedLines, renderLines, renderScreen, type Snapshot } from './render.ts';

export interface Drawing {
  /** Something may have changed; drawn at most every 200 ms. */
  touch(): void;
  stop(): void;
}

const LEAST_MS = 200;
const AGES_MS = 1000;

export function startDrawing(output: NodeJS.WriteStream, snapshot: () => Snapshot): Drawing {
  const draw = output.isTTY ? createScreen(output, snapshot) : createLines(output, snapshot);
  let timer: NodeJS.Timeout | undefined;
  const touch = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      draw();
    }, LEAST_MS);
  };
  const ages = output.isTTY ? setInterval(touch, AGES_MS) : undefined;
  draw();
  return {
    touch,
    stop() {
      clearTimeout(timer);
      clearInterval(ages);
      draw();
    },
  };
}

/** Goes up as many lines as it drew last and clears from there: what was printed before stays readable. */
function createScreen(output: NodeJS.WriteStream, snapshot: () => Snapshot): () => void {
  let drawn = 0;
  return () => {
    const height = Math.max(5, (output.rows ?? 40) - 2);
    const lines = renderScreen(snapshot(), Date.now(), { columns: output.columns ?? 120, rows: height });
    const up = drawn === 0 ? '' : `\u001b[${drawn}A`;
    output.write(`${up}\u001b[0J${lines.join('\n')}\n`);
    drawn = lines.length;
  };
}

function createLines(output: NodeJS.WriteStream, snapshot: () => Snapshot): () => void {
  let before: ReadonlyMap<string, string> = new Map();
  return () => {
    const after = renderLines(snapshot());
    const lines = changedLines(before, after);
    before = after;
    if (lines.length > 0) output.write(`${lines.join('\n')}\n`);
  };
}
