/** Pages of a list: how large they are, what they say of themselves, and what clients call their parameters. */
import type * as ast from '../ast/ast.ts';
import {
  listParameters,
  nameOfParameter,
  PAGE_HEADS,
  PAGE_PARAMETERS,
  PAGE_SIZES,
  type PageParameter,
  type Pages,
  pageFormOf,
} from '../definition/contract/list-parameters.ts';
import type { List } from '../program/program.ts';
import { type Context, checkText, firstOfEach } from './context.ts';

export function checkPaging(context: Context, written: ast.Paginable): Pages {
  const { pageSize, max, total, byCursor, span } = written;
  const size = pageSize?.value ?? Math.min(PAGE_SIZES.pageSize, max?.value ?? PAGE_SIZES.pageSize);
  const most = max?.value ?? Math.max(PAGE_SIZES.max, size);
  if (max && max.value < 1) context.report('bad-page-size', max.span, { property: 'max', value: max.value, max: most });
  else if (size < 1 || size > most)
    context.report('bad-page-size', pageSize?.span ?? span, { property: 'pageSize', value: size, max: most });
  if (byCursor && total) context.report('total-beside-cursor', total.span, { total: total.value, cursor: byCursor });
  const page: Pages = {
    pageSize: size,
    max: most,
    ...(byCursor ? { by: 'cursor' } : {}),
    ...(total && !byCursor ? { total: total.value } : {}),
  };
  const parameters = checkParameters(context, written, page);
  return {
    ...page,
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(written.response && { envelope: checkEnvelope(context, written.response, page) }),
  };
}

// ── Parameters ──────────────────────────────────────────────────────────────────────────────────────────────────────

function namesIn({ pageAs, pageSizeAs, afterAs }: ast.Paginable): readonly (readonly [PageParameter, ast.Text])[] {
  const all = [['page', pageAs] as const, ['pageSize', pageSizeAs] as const, ['after', afterAs] as const];
  return all.flatMap(([key, name]) => (name ? [[key, name] as const] : []));
}

function checkParameters(context: Context, written: ast.Paginable, page: Pages): NonNullable<Pages['parameters']> {
  const known = PAGE_PARAMETERS[pageFormOf(page)];
  return Object.fromEntries(
    namesIn(written).map(([key, name]) => {
      checkText(name, context.report);
      if (!known.includes(key)) context.report('page-names', name.span, { name: key, mistake: 'no parameter', known });
      else if (!/^[\w.-]+$/.test(name.value))
        context.report('page-names', name.span, { name: name.value, mistake: 'bad name', known });
      return [key, name.value];
    }),
  );
}

/** A parameter of the list may have been called so already. */
export function reportTakenNames(context: Context, written: ast.Paginable, { options }: List): void {
  const { page } = options;
  if (page === null) return;
  const others = Object.keys(listParameters({ ...options, page: null }));
  for (const [key, { value, span }] of namesIn(written)) {
    const beside = PAGE_PARAMETERS[pageFormOf(page)].filter((each) => each !== key) as readonly PageParameter[];
    const known = [...others, ...beside.map((each) => nameOfParameter(page, each))];
    if (known.includes(value)) context.report('page-names', span, { name: value, mistake: 'taken', known });
  }
}

// ── Envelope ────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Checks the envelope of a page. It must contain the records, and `next`, without which clients cannot get past the
 * first page.
 */
function checkEnvelope(
  context: Context,
  { members, span }: ast.PageResponse,
  page: Pages,
): NonNullable<Pages['envelope']> {
  const known = [...Object.keys(PAGE_HEADS[pageFormOf(page)]), 'data'];
  for (const { value } of members)
    if (!known.includes(value.text))
      context.report('page-names', value.span, { name: value.text, mistake: 'no member', known });
  for (const part of ['name', 'value'] as const)
    firstOfEach(
      members,
      (member) => member[part].text,
      (member) => context.report('page-names', member[part].span, { name: member[part].text, mistake: 'twice', known }),
    );
  for (const needed of page.by === 'cursor' ? ['data', 'next'] : ['data'])
    if (!members.some(({ value }) => value.text === needed))
      context.report('page-names', span, { name: needed, mistake: 'missing', known });
  return members.map(({ name, value }) => ({ name: name.text, value: value.text }));
}
