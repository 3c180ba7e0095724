/** Puts rows into a database of a world, and looks whether those that should be there are there. */
import { expect } from 'chai';
import type pg from 'pg';
import type { Definition, Model } from '../../../compiler/definition/definition.ts';
import type { Random } from './random.ts';
import { isEnumValue, membersOf, type World, type WorldCell, type WorldMember, type WorldModel } from './world.ts';
import { cellSql, distinctValue } from './world-values.ts';

/** Up to three rows more in each table. Row number n of a table refers to row number n of another. */
export async function addRows(client: pg.Client, world: World, definition: Definition, random: Random): Promise<void> {
  for (const model of world.models) {
    for (let left = random.below(4); left > 0; left--) {
      await addRow(client, { world, model, random }, modelOf(definition, model));
    }
  }
  await addToken(client, world);
}

async function addToken(client: pg.Client, world: World): Promise<void> {
  const user = world.models.find(({ isAccount }) => isAccount)?.rows[0];
  if (!world.hasAuth || !user) return;
  const hash = Buffer.from(String(++world.made));
  await client.query('INSERT INTO kiln_tokens (token_hash, user_id, expires_at) VALUES ($1, $2, now())', [
    hash,
    user.id,
  ]);
  world.tokens++;
}

interface Adding {
  readonly world: World;
  readonly model: WorldModel;
  readonly random: Random;
}

export function modelOf({ models }: Definition, { name }: WorldModel): Model {
  return models.find((model) => model.name === name) as Model;
}

async function addRow(client: pg.Client, adding: Adding, { table, fields }: Model): Promise<void> {
  const { world, model } = adding;
  const at = model.rows.length;
  if (model.references.some(({ to, nullable }) => !nullable && to.rows[at] === undefined)) return;
  const id = model.idType === 'uuid' ? String(distinctValue('uuid', ++world.made)) : at + 1;
  const values = new Map(membersOf(model).map((member) => [member, newCell(member, at, adding)]));
  const cells = [...values].map(([member, cell]) => [columnOf(fields, member), stored(member, cell)] as const);
  const columns = cells.map(([column]) => `, "${column}"`).join('');
  const places = cells.map((_, index) => `, $${index + 2}`).join('');
  await client.query(`INSERT INTO "${table}" (id${columns}) VALUES ($1${places})`, [
    id,
    ...cells.map(([, cell]) => cell),
  ]);
  model.rows.push({ id, values });
}

export function columnOf(fields: Model['fields'], { kind, name }: WorldMember): string {
  const isIt = (field: Model['fields'][number]) => (kind === 'field' ? field.name : field.reference) === name;
  return fields.find(isIt)?.column as string;
}

function newCell(member: WorldMember, at: number, { world, random }: Adding): WorldCell {
  if (member.kind === 'reference') return member.to.rows[at]?.id ?? null;
  if (member.nullable && random.chance(0.3)) return null;
  const { type, isList } = member;
  const one = () => (typeof type === 'string' ? distinctValue(type, ++world.made) : random.pick(type.values));
  return isList ? Array.from({ length: random.below(4) }, one) : one();
}

function stored(member: WorldMember, cell: WorldCell): unknown {
  const isJson = member.kind === 'field' && member.type === 'json' && cell !== null;
  return isJson ? JSON.stringify(cell) : shown(cell);
}

/** A value of an enum by the name that it has now. */
function shown(cell: WorldCell): unknown {
  if (Array.isArray(cell)) return cell.map(shown);
  return isEnumValue(cell) ? cell.name : cell;
}

export async function expectRows(client: pg.Client, world: World, definition: Definition, hint: string): Promise<void> {
  for (const model of world.models) {
    const seen = await readRows(client, model, modelOf(definition, model));
    const expected = model.rows.map(({ id, values }) => [
      id,
      ...membersOf(model).map((member) => shown(values.get(member) ?? null)),
    ]);
    expect(seen, `${hint}\nrows of ${model.name}`).to.have.deep.members(expected);
  }
  if (!world.hasAuth) return;
  const { rows } = await client.query('SELECT FROM kiln_tokens');
  expect(rows.length, `${hint}\ntokens`).to.equal(world.tokens);
}

async function readRows(client: pg.Client, model: WorldModel, { table, fields }: Model): Promise<readonly unknown[][]> {
  const cells = membersOf(model).map((member) => {
    return cellSql(
      `"${columnOf(fields, member)}"`,
      member.kind === 'field' ? member.type : 'key',
      member.kind === 'field' && member.isList,
    );
  });
  const text = `SELECT ${['to_jsonb(id)', ...cells].join(', ')} FROM "${table}"`;
  const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
  return rows;
}
