/**
 * Whether a type of Postgres 18 has the name. Postgres looks among these first, even where a name is quoted. Those that
 * begin with `pg_` are missing here: no name of an author does.
 */
export function isBuiltInType(name: string): boolean {
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
