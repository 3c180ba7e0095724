/** Relations: each is the reverse side of a reference, which must be there and lead back. */
import type * as ast from '../ast/ast.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import type { Member, Model, Reference, Relation } from '../program/program.ts';
import { ANY } from '../program/type.ts';
import { type BuildingModel, modelNamed, type Names } from './members.ts';

export function declareRelations(names: Names, model: BuildingModel, declaration: ast.ModelDeclaration): void {
  for (const written of declaration.members) {
    if (written.kind !== 'relation' || model.members.get(written.name.text)?.span !== written.name.span) continue;
    const relation = relationOf(names, model, written);
    if (relation) model.members.set(written.name.text, relation);
  }
}

function relationOf(names: Names, model: Model, written: ast.RelationDeclaration): Relation | undefined {
  const { report, models, witness } = names;
  const user = `${model.name}.${written.name.text}`;
  const { from, through } = written;
  if (!from || !through) {
    const lacks = [!from && 'from', !through && 'through'].filter((word) => word !== false);
    const source = !through && from?.path.steps.length === 1 ? models.get(from.path.steps[0].text) : undefined;
    return report('incomplete-relation', written.name.span, {
      relation: user,
      lacks,
      near: source && referencesTo(model, source)[0],
    });
  }
  const [fromName, ...moreFrom] = from.path.steps;
  const [throughName, ...moreThrough] = through.steps;
  const further = moreFrom[0] ?? moreThrough[0];
  if (further) return report('relation-by-path', further.span, { relation: user });
  if (from.alias) report('relation-alias', from.alias.span, { relation: user, alias: from.alias.text });
  const source = modelNamed(names, fromName, user);
  if (!source) return undefined;
  const reference = source.members.get(throughName.text);
  if (reference) witness?.meant(throughName.span, { kind: 'member', member: reference });
  if (reference?.kind === 'reference' && reference.to.name === model.name) {
    const { name, doc } = written;
    return { name: name.text, model, doc, span: name.span, kind: 'relation', from: source, through: reference };
  }
  const isReported = reference?.kind === 'field' && reference.type === ANY;
  return isReported ? undefined : reportBadThrough(names, model, user, source, throughName, reference);
}

function reportBadThrough(
  { report }: Names,
  model: Model,
  relation: string,
  source: Model,
  through: ast.Name,
  found: Member | undefined,
): undefined {
  const { text: name, span } = through;
  const fitting = referencesTo(model, source);
  const near = nearName(name, fitting) ?? fitting[0];
  const facts = { relation, source: source.name, model: model.name, near };
  if (found?.kind === 'reference') {
    report('relation-elsewhere', span, { ...facts, reference: found.name, to: found.to.name, declared: found.span });
  } else report('unknown-through', span, { ...facts, name, found: found?.kind });
}

/** By name: a model that is checked by itself, while it is being written, is not yet the one that the others lead to. */
function referencesTo(model: Model, source: Model): readonly Reference[] {
  const references = [...source.members.values()].filter((member) => member.kind === 'reference');
  return references.filter(({ to }) => to.name === model.name);
}
