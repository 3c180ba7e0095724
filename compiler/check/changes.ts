/** `was` and `drop` speak about the release before. Whether they are true is for the difference to say; that they make sense is for us. */
import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import type { Span } from '../source/source-file.ts';
import type { Declarations } from './declarations.ts';
import { inPieces } from './pieces.ts';

type Report = Diagnostics['report'];

export function* checkChanges(declarations: Declarations, report: Report): Generator<void, void> {
  const { models, enums, dropModels } = declarations;
  checkNamed(
    models,
    dropModels.map((drop) => drop.name),
    'model',
    report,
  );
  checkNamed(enums, [], 'enum', report);
  yield* inPieces(models, (piece) => {
    for (const model of piece) checkMembers(model, report);
  });
  for (const declaration of enums) checkNamed(declaration.values, declaration.drops, 'value', report);
}

function checkMembers(model: ast.ModelDeclaration, report: Report): void {
  const written = model.members.filter((member) => 'name' in member && member.kind !== 'drop') as readonly Renamable[];
  const named = [...written, ...membersUnwritten(model)];
  const drops = model.members.filter((member) => member.kind === 'drop');
  checkNamed(
    named,
    drops.map((drop) => drop.name),
    'member',
    report,
  );
}

/** Members that nobody wrote down: the `id`, and the keys of references. */
function membersUnwritten({ name, members }: ast.ModelDeclaration): readonly Renamable[] {
  const keys = members.filter((member) => member.kind === 'reference').map((reference) => reference.name);
  const names = [{ text: 'id', span: name.span }, ...keys.map(({ text, span }) => ({ text: `${text}_id`, span }))];
  return names.map((unwritten) => ({ name: unwritten }));
}

interface Renamable {
  readonly name: ast.Name;
  readonly was?: ast.Name | undefined;
}

/** A name that is still in use was neither renamed nor dropped, and one name cannot have become two. */
function checkNamed(declared: readonly Renamable[], drops: readonly ast.Name[], noun: string, report: Report): void {
  if (drops.length === 0 && !declared.some(({ was }) => was)) return;
  const present = new Map(declared.map(({ name }) => [name.text, name]));
  const gone = new Map<string, { readonly how: 'was' | 'drop'; readonly span: Span }>();
  const claim = ({ text: name, span }: ast.Name, how: 'was' | 'drop') => {
    const still = present.get(name);
    const earlier = gone.get(name);
    if (still) report('still-there', span, { noun, name, how, declared: still.span });
    else if (earlier) report('gone-twice', span, { noun, name, how, firstHow: earlier.how, first: earlier.span });
    gone.set(name, { how, span });
  };
  for (const { name, was } of declared) {
    if (was && was.text === name.text) report('renamed-to-itself', was.span, { name: name.text });
    else if (was) claim(was, 'was');
  }
  for (const drop of drops) claim(drop, 'drop');
}
