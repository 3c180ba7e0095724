/** Names that JavaScript has uses for, each with the type that the API says. */
import type { Client, ClientModel, CursorPage, EstimatedPage, PromiseModel } from '../golden/nasty.ts';

export async function names(client: Client): Promise<void> {
  const texts: readonly string[] = [
    await client.then_.name(),
    await client.then_.apply(),
    await client.then_.bind(),
    await client.then_.arguments(),
    await client.then_.toString_(),
    await client.then_.日本(),
    await client.then_.中国(),
    await client.then_._(),
    await client.then_.getAB(),
    await client.then_.getAB2(),
    await client.then_('a').call(),
    await client.then_('a').then_(),
    await client.then_('a').constructor_(),
    await client.then_('a').gone(),
  ];
  const numbers: readonly number[] = [
    await client.then_.length(),
    await client.then_._2024(),
    await client.then_.getList(),
    await client.name.route.route(),
    texts.length,
  ];
  await client.then_('a').putState({ state: 'new' });
  await client.then_('a').deleteState();
  const state: 'class' | 'new' = await client.then_('a').getState();
  await client.then_('a').lines.create({ number: numbers.length });
  const lines: string[] = await client.then_('a').putLines();
  const only: PromiseModel = await client.constructor_('2026-01-01T00:00:00Z').prototype_.get();
  await client.then_('a').get_.getGet();
  await client.then_.create({
    name: 'a',
    extra: { any: [state, lines, only.more] },
    size: "it's",
    level: 2,
    agreed: true,
  });
}

export async function filters(client: Client): Promise<void> {
  await client.then_.list({ level: 2, price: { gte: '0.10', lt: '5' }, sort: ['-level', 'owner.at'], page: 2 });
  await client.then_.list({
    prototype: ['class', 'new'],
    name: { contains: 'a', ne: ['b', 'c'] },
    due: { null: true },
  });
  await client.then_.list({ 'owner.status': { ne: 'open' }, level: [1, 2] });
}

export async function pages(client: Client): Promise<void> {
  const { cursor, uncounted, estimated } = client.length;
  const first: CursorPage<ClientModel> = await cursor({ pageSize: 5 });
  const next: string | null = first.next;
  if (next !== null) await cursor({ after: next });
  for await (const { day } of cursor.all({ after: undefined })) String(day);
  for await (const { day } of uncounted.all({ page: 2 })) String(day);
  for await (const { day } of estimated.all({ page: 2 })) String(day);
  const about: EstimatedPage<ClientModel> = await estimated();
  String(about.totalIsEstimated ? about.totalPages : about.totalCount);
  // @ts-expect-error: null is the end, and no place to go on from
  await cursor({ after: next });
  // @ts-expect-error: pages by cursor have no numbers
  await cursor({ page: 2 });
  // @ts-expect-error: nothing is counted
  String(first.totalCount);
  // @ts-expect-error: nor here
  String((await uncounted()).totalPages);
}

export async function mistakes(client: Client): Promise<void> {
  // @ts-expect-error: nothing here can be taken for a promise
  void client.then;
  // @ts-expect-error: the reason is needed
  await client.then_('a').delete();
  // @ts-expect-error: one of the values that the validator allows
  await client.then_.create({ name: 'a', extra: 1, size: 'XL' });
  // @ts-expect-error: a decimal is text
  await client.then_.create({ name: 'a', extra: 1, price: 0.1 });
  // @ts-expect-error: must not be null
  await client.then_.create({ name: 'a', extra: null });
  // @ts-expect-error: a moment is text
  await client.then_.list({ since: 5 });
  // @ts-expect-error: an enum has no order
  await client.then_.list({ prototype: { gt: 'class' } });
  // @ts-expect-error: one of the values of the enum
  await client.then_.list({ 'owner.status': 'late' });
  // @ts-expect-error: a name is always there
  await client.then_.list({ name: { null: true } });
  // @ts-expect-error: one of the keys
  await client.then_.list({ sort: ['price'] });
  const { status } = await client.then_('a').refuse.result();
  // @ts-expect-error: custom code refuses with any status
  const certain: 204 | 400 = status;
  String(certain);
}
