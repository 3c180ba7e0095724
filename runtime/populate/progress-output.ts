/** Progress on a stream: a bar that is drawn over itself on a terminal, a line every few seconds elsewhere. */

import type { Report } from './progress.ts';
import { progressBar, progressLine } from './progress-bar.ts';

interface ProgressOutput {
  readonly report: Report;
  /** Takes the bar away. */
  end(): void;
}

const LINE_MS = 5000;
const CLEAR_LINE = '\r\u001b[K';

export function progressOutput(stream: NodeJS.WriteStream): ProgressOutput {
  return stream.isTTY ? onTerminal(stream) : inLines(stream);
}

function onTerminal(stream: NodeJS.WriteStream): ProgressOutput {
  return {
    report: (progress) => void stream.write(CLEAR_LINE + progressBar(progress, stream.columns - 1)),
    end: () => void stream.write(CLEAR_LINE),
  };
}

/** Work that is over soon says nothing on the way. */
function inLines(stream: NodeJS.WriteStream): ProgressOutput {
  let said = performance.now();
  return {
    report: (progress) => {
      if (performance.now() - said < LINE_MS) return;
      said = performance.now();
      stream.write(`${progressLine(progress)}\n`);
    },
    end: () => undefined,
  };
}
