/** A record that must refer to one of its own model can only be created after another one, so there is never a first. */
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Program } from '../program/program.ts';

export function reportSelfReferences({ models }: Program, report: Diagnostics['report']): void {
  for (const model of models) {
    for (const { reference } of model.fields) {
      if (reference?.to === model && !reference.nullable)
        report('no-first-record', reference.span, { reference: `${model.name}.${reference.name}`, model: model.name });
    }
  }
}
