/**
 * The names in the database of what authors name. They are final: at most 63 bytes long, apart where Postgres keeps
 * them in one place, and the same whatever the order of the files.
 */

import { Names } from '../definition/names.ts';
import type * as program from '../program/program.ts';
import { snakeCase } from '../program/snake-case.ts';

export interface DatabaseNames {
  readonly tableOf: (model: program.Model) => string;
  readonly typeOf: (type: program.Enum) => string;
}

/** Every table is a type too, so the two share a name space. */
export function databaseNames({ models, enums }: program.Program): DatabaseNames {
  const names = new Names();
  const written = new Map([...models, ...enums].map(({ name }) => [name, snakeCase(name)]));
  const nameOf = ({ name }: { readonly name: string }) => written.get(name) as string;
  const given = names.claimAll([...written.values()]);
  const shadowed = enums.map(nameOf).filter(isBuiltInType);
  const renamed = new Map(shadowed.sort().map((type) => [type, names.claim([type, 'enum'])]));
  return {
    tableOf: (model) => given.get(nameOf(model)) as string,
    typeOf: (type) => renamed.get(nameOf(type)) ?? (given.get(nameOf(type)) as string),
  };
}

export function columnNames({ fields }: program.Model): (field: program.Field) => string {
  const columns = new Names().claimAll(fields.map(({ name }) => snakeCase(name)));
  return ({ name }) => columns.get(snakeCase(name)) as string;
}

// ── Built in types ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Whether a type of Postgres 18 has the name. Postgres looks among these first, even where a name is quoted. Those that
 * begin with `pg_` are missing here: no name of an author does.
 */
function isBuiltInType(name: string): boolean {
  return name.startsWith('_') || BUILT_IN_TYPES.has(name);
}

const BUILT_IN_TYPES = new Set(
  `aclitem any anyarray anycompatible anycompatiblearray anycompatiblemultirange anycompatiblenonarray
  anycompatiblerange anyelement anyenum anymultirange anynonarray anyrange bit bool box bpchar bytea char cid cidr
  circle cstring date datemultirange daterange event_trigger fdw_handler float4 float8 gtsvector index_am_handler inet
  int2 int2vector int4 int4multirange int4range int8 int8multirange int8range internal interval json jsonb jsonpath
  language_handler line lseg macaddr macaddr8 money name numeric nummultirange numrange oid oidvector path point polygon
  record refcursor regclass regcollation regconfig regdictionary regnamespace regoper regoperator regproc regprocedure
  regrole regtype table_am_handler text tid time timestamp timestamptz timetz trigger tsm_handler tsmultirange tsquery
  tsrange tstzmultirange tstzrange tsvector txid_snapshot unknown uuid varbit varchar void xid xid8 xml`.split(/\s+/),
);
