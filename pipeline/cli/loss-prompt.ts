/** What `kiln dev` and `kiln db sync` show and ask where data would be lost. */
import { visibleLines } from '../../compiler/diagnostics/source-line.ts';
import { answerTo } from '../dev/ask.ts';
import { decideLoss } from '../dev/decide-loss.ts';
import type { Project } from '../dev/dev-server.ts';
import { lossText } from '../dev/loss-text.ts';
import type { Decision, Loss } from '../dev/sync.ts';
import { note, pointToExplanation, tellPainted } from './terminal.ts';

type Asked = Pick<Project, 'problemsText' | 'renames'>;

export function showLoss(loss: Loss, { problemsText }: Asked): void {
  tellPainted(lossText(loss, problemsText));
  pointToExplanation(loss.problems[0]?.code);
}

export function askAboutLoss(loss: Loss, project: Asked, signal?: AbortSignal): Promise<Decision> {
  showLoss(loss, project);
  const { placeOf, write } = project.renames;
  return decideLoss(loss, {
    ask: (question) => answerTo(visibleLines(question), signal),
    placeOf,
    write: (rename) => {
      const isWritten = write(rename);
      note(
        isWritten ? `Wrote \`was ${rename.was}\` at ${placeOf(rename)}.` : 'The source has changed in the meantime.',
      );
      return isWritten;
    },
  });
}
