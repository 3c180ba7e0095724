import { expect } from 'chai';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { lockingEndpoints, serializableEndpoints } from '../../compiler/definition/serializable.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';

const MODELS = `
auth { model User, login email, password hash }
model User { field email { type string, unique }, field hash { type string, secret }, field admin { type boolean, default false } }
model Room {
  field name { type string, unique }
  field size { type integer, default 1 }
  field closed { type boolean, default false }
  field views { type integer, default 0 }
  relation bookings { from Booking, through room }
  computed taken { count(bookings) }
}
model Booking { reference room { to Room, on delete cascade }, field guest { type string, default "x" }, field price { type integer, default 1 } }
model Seat { reference booking { to Booking, on delete cascade } }
model Note { reference room { to Room }, field text { type string, default "x" } }
`;

const BOOK = 'POST one "book" { authorize { room.taken < room.size } action { create Booking { set room room } } }';

/** Endpoints of rooms, and which of them are serializable. */
const EXAMPLES: Readonly<Record<string, readonly [endpoints: string, serializable: readonly string[]]>> = {
  'nothing where a record is written by itself': ['create endpoint {} update endpoint {} delete endpoint {}', []],
  'nothing where a record is changed that is locked': [
    'POST one "see" { authorize { not room.closed } action { update room { set views room.views + 1 } } }',
    [],
  ],
  'nothing where what is read is written by nobody': [
    'POST one "note" { authorize { room.size > 1 } action { create Note { set room room } } }',
    [],
  ],
  'nothing where nobody who writes what is read could tell the order': [
    'update endpoint {} POST one "note" { authorize { room.size > 1 } action { create Note { set room room } } }',
    [],
  ],
  'nothing where records are counted only to be shown': [
    'POST one "book" { action { create Booking { set room room } query as n { from room.bookings, count } respond { body n } } }',
    [],
  ],
  'nothing where the caller is only compared': [
    'POST one "note" { authorize { @auth is not null } action { create Note { set room room } } }',
    [],
  ],
  'nothing where a record that is kept is only referred to': [
    'delete endpoint {} POST many "note" { action { create Room or keep as kept { set name "a" } create Note { set room kept } } }',
    [],
  ],
  'nothing where a record decides that is changed or made': [
    'POST many "grow" { action { create Room or update as kept { set name "a", set views 1 } validate with key "size" { min(kept.size, 2) } update kept { set size 3 } } }',
    [],
  ],
  'what decides by a record that is kept': [
    'POST many "grow" { action { create Room or keep as kept { set name "a" } validate with key "size" { min(kept.size, 2) } update kept { set size 3 } } }',
    ['room.grow'],
  ],
  'nothing where an `only` asks for the record that is changed': [
    'only { not room.closed } POST one "close" { action { update room { set closed true } } }',
    [],
  ],
  'what changes a record that another one counts by': [
    `${BOOK} POST many "grow" { action { create Room or update { set name "a", set size 9 } create Booking { set room_id 1 } } }`,
    ['room.book', 'room.grow'],
  ],
  'what counts after it has created': [
    'POST one "book" { action { create Booking as made { set room room } validate with key "room" { max(made.room.taken, 1) } } }',
    ['room.book'],
  ],
  'what searches for what it changes': [
    'POST many "open" { action { query { from Room as room, filter { room.closed }, limit 1, update { set closed false } } } }',
    ['room.open'],
  ],
  'what reads a record while another endpoint does the opposite': [
    `POST one "note" { authorize { not room.closed } action { create Note { set room room } } }
     POST one "close" { action { query as n { from Note as note, filter { note.room is room }, count } validate with key "room" { isEqual(n, 0) } update room { set closed true } } }`,
    ['room.close', 'room.note'],
  ],
  'what reads a record and overwrites what its writer overwrites': [
    `POST one "name" { action { query as other { from Room as other, filter { other.name is "hall" }, first, select { id, closed } } validate with key "hall" { isEqual(other.closed, false) } update room { set name "x" } } }
     POST one "shut" { action { update room { set closed true, set name "shut" } } }`,
    ['room.name', 'room.shut'],
  ],
  'whoever writes what such a rule reads, also by a cascade': [
    `${BOOK} create endpoint {} update endpoint { action { update room { input { name } } } } delete endpoint {}
     PATCH one "size" { action { update room { input { size } } } }
     POST many "all" { action { query { from Booking as all, filter { all.price > 9 }, delete } } }
     entrypoint bookings { create endpoint {} update endpoint { action { update { input { guest } } } } delete endpoint {} }`,
    ['room.all', 'room.book', 'room.bookings.create', 'room.bookings.delete', 'room.delete', 'room.size'],
  ],
  'whoever reads what goes by a cascade with what code may write, too': [
    `POST one "clear" { action { execute { hook { arg room room.id, source clear from "clear" } } delete room.bookings {} } }
     entrypoint bookings as booking {
       POST one "seat" { action { query as n { from Seat as seat, count } validate with key "n" { max(n, 5) } update booking { set guest "y" } } }
     }`,
    ['room.bookings.seat', 'room.clear'],
  ],
  'what takes the first group of an order, and whoever writes what that order is by': [
    `POST one "best" { action {
       query as w { from Booking, group by { room }, select { room }, order by { sum(price) }, first }
       query { from Booking as b, filter { b.room_id is w.room }, update { set guest "best" } }
     } }
     entrypoint bookings as booking { PATCH one "price" { action {
       query as n { from Booking as b, filter { b.guest is "best" }, count }
       validate with key "n" { isEqual(n, 0) }
       update booking { input { price } }
     } } }`,
    ['room.best', 'room.bookings.price'],
  ],
  'what asks for a right that it can take away': ['', ['user.demote']],
};

/** Endpoints of rooms that are none of them serializable, and what they lock. */
const LOCKS: Readonly<Record<string, readonly [endpoints: string, locks: Readonly<Record<string, string>>]>> = {
  'the record whose relation is counted': [BOOK, { 'room.book': 'room' }],
  'the record of an `only`': [
    'only { room.taken < 3 } POST one "book" { action { create Booking { set room room } } }',
    { 'room.book': 'room' },
  ],
  'the record whose relation a query counts before a `refuse`': [
    'POST one "book" { action { query as taken { from room.bookings, count } refuse "full" when taken > 3 create Booking { set room room } } }',
    { 'room.book': 'room' },
  ],
  'the same in every endpoint that writes what is read, also by a cascade, and no other one': [
    `${BOOK} create endpoint {} update endpoint { action { update room { input { name } } } } delete endpoint {}
     PATCH one "size" { action { update room { input { size } } } }
     entrypoint bookings { create endpoint {} update endpoint { action { update { input { guest } } } } delete endpoint {} }`,
    {
      'room.book': 'room',
      'room.bookings.create': 'room',
      'room.bookings.delete': 'room, booking#.room_id',
      'room.delete': 'room',
    },
  ],
  'the same where records are made in a loop, or changed as those of the record, and nothing for a new one': [
    `${BOOK} create endpoint { extra inputs { field guests { type [string] } } action { create as made {} for each in guests { create made.bookings { set guest each } } } }
     POST one "several" { extra inputs { field guests { type [string] } } action { for each in guests { create Booking { set room room, set guest each } } } }
     POST one "clear" { action { query as n { from room.bookings, count } validate with key "room" { min(n, 2) } delete room.bookings {} } }
     POST one "some" { action { query { from room.bookings as one, filter { one.price > 9 }, delete } } }`,
    { 'room.book': 'room', 'room.clear': 'room', 'room.several': 'room', 'room.some': 'room' },
  ],
  'what a record of the path refers to, where its own fields are read': [
    `POST one "book" { authorize { sum(room.bookings.price) < 9 } action { create Booking { set room room } } }
     } entrypoint Booking as booking { PATCH one "price" { action { update booking { input { price } } } }`,
    { 'booking.price': 'booking.room_id', 'room.book': 'room' },
  ],
};

/** One endpoint that keeps the others from it, because it is not known which rooms it is about. */
const UNLOCKABLE: Readonly<Record<string, string>> = {
  'moves records':
    'entrypoint bookings as booking { PATCH one "move" { action { update booking { input { room } } } } }',
  'takes the record from the client': '} entrypoint Booking { create endpoint {}',
  'changes records by a query':
    'POST many "all" { action { query { from Booking as all, filter { all.price > 9 }, delete } } }',
  'runs code that has the database':
    'POST one "clear" { action { execute { hook { arg n count(room.bookings), source clear from "clear" } } } }',
};

const USERS = `
entrypoint User as user {
  POST one "demote" { authorize { @auth is not null and @auth.admin } action { update user { set admin false } } }
}`;

const CODE: ReadonlyMap<string, string> = new Map([['hooks/clear.ts', 'export function clear(): void {}']]);

function definitionOf(endpoints: string): Definition {
  const text = `${MODELS} api { ${endpoints === '' ? USERS : `entrypoint Room as room { ${endpoints} }`} }`;
  const { definition, diagnostics } = compile([{ path: 'main.kiln', text }], (path) => CODE.get(path));
  if (!definition) throw new Error(JSON.stringify(diagnostics));
  return definition;
}

describe('endpoints that run as if one came after the other', () => {
  before(() => loadGrammar());

  for (const [what, [endpoints, expected]] of Object.entries(EXAMPLES)) {
    it(`are ${what}`, () => {
      expect([...serializableEndpoints(definitionOf(endpoints)).keys()].sort()).to.deep.equal(expected);
    });
  }

  for (const [what, [endpoints, expected]] of Object.entries(LOCKS)) {
    it(`lock ${what}`, () => {
      const definition = definitionOf(endpoints);
      const locks = [...lockingEndpoints(definition)].map(([id, own]) => [
        id,
        own.map(({ record, field }) => (field === null ? record : `${record}.${field}`)).join(', '),
      ]);
      expect(Object.fromEntries(locks)).to.deep.equal(expected);
      expect([...serializableEndpoints(definition)]).to.deep.equal([]);
    });
  }

  for (const [what, endpoint] of Object.entries(UNLOCKABLE)) {
    it(`lock nothing where one of them ${what}`, () => {
      const definition = definitionOf(`${BOOK} ${endpoint}`);
      expect([...lockingEndpoints(definition)]).to.deep.equal([]);
      expect([...serializableEndpoints(definition).keys()]).to.include('room.book');
    });
  }

  it('read the caller again where somebody may change what is read of it', () => {
    expect(serializableEndpoints(definitionOf('')).get('user.demote')).to.have.property('rereadsCaller', true);
    const searching = EXAMPLES['what searches for what it changes']?.[0] as string;
    expect(serializableEndpoints(definitionOf(searching)).get('room.open')).to.have.property('rereadsCaller', false);
  });

  it('are in the definition, so that a server need not find them', () => {
    const definition = definitionOf('');
    expect(definition.serializable?.map(({ endpoint }) => endpoint)).to.deep.equal(['user.demote']);
    const { serializable: _serializable, ...earlier } = definition;
    expect(serializableEndpoints(earlier)).to.deep.equal(serializableEndpoints(definition));
    const locking = definitionOf(BOOK);
    expect(locking.locks).to.deep.equal([
      { endpoint: 'room.book', locks: [{ model: 'Room', record: 'room', field: null }] },
    ]);
    const { serializable: _none, locks: _locks, ...former } = locking;
    expect(lockingEndpoints(former)).to.deep.equal(lockingEndpoints(locking));
    expect([...serializableEndpoints({ ...definition, serializable: [] })]).to.deep.equal([]);
  });
});
