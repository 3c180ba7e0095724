/** "Sign in as", for development: the accounts that there are, and a token for one of them without its password. */
import { passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import { literalPath } from '../../../compiler/definition/contract/routes.ts';
import { integer, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Route } from '../../request/exchange.ts';
import { queryParameters } from '../../request/query-string.ts';
import type { DataAccounts, SignedIn } from './data-forms.ts';
import { columnOf, type DataModels } from './data-models.ts';
import { type Handle, json, type MakeRoute } from './data-route.ts';
import { type DataDatabase, execute, reading } from './data-statements.ts';
import { containsText } from './filters.ts';
import { labelSql } from './labels.ts';

export interface AccountTools {
  readonly from: DataDatabase;
  readonly models: DataModels;
  /** Null where there is no account with this id. */
  readonly signIn: (id: string) => Promise<SignedIn | null>;
}

const MOST = 50;

export function accountRoutes(tools: AccountTools, route: MakeRoute): readonly Route[] {
  return [
    route('GET', literalPath('accounts'), accountsOf(tools)),
    route('POST', literalPath('sign-in'), async (exchange) => {
      const { id } = await exchange.readBody();
      if (typeof id !== 'string')
        throw new ApiError('malformed-request', { detail: 'The body must have the `id` of an account, as a string.' });
      const signedIn = await tools.signIn(id);
      if (signedIn === null) throw new ApiError('not-found', { detail: `There is no account with the id ${id}.` });
      return json(signedIn);
    }),
  ];
}

/** `?search=` finds those whose login contains the text. */
function accountsOf({ from, models }: AccountTools): Handle {
  return async ({ queryString, signal }) => {
    const auth = passwordAuthOf(models.definition);
    if (!auth) throw new ApiError('not-found', { detail: 'The application has no accounts with passwords.' });
    const { search = '' } = queryParameters(queryString, new Set()) as { search?: string };
    const known = models.model(auth.model);
    const row = sql`"#row"`;
    const login = sql`"#row".${columnOf(known, auth.password.login).name}`;
    const found = await reading(from, signal, (connection) =>
      execute(
        connection,
        sql`SELECT "#row".${known.id.name}, ${login}, ${labelSql(known, row, models)} FROM ${known.table} AS "#row"${matching(login, search)} ORDER BY "#row".${known.id.name} LIMIT ${integer(MOST + 1)}`,
      ),
    );
    const accounts = found.rows.slice(0, MOST).map((each) => {
      const [id, name, label] = each.fields as readonly [string, string, string | null];
      return { id, login: name, label: label === name ? null : label };
    });
    const answer: DataAccounts = { model: auth.model, accounts, hasMore: found.rows.length > MOST };
    return json(answer);
  };
}

function matching(login: Sql, search: string): Sql {
  return search === '' ? sql`` : sql` WHERE ${containsText(login, search)}`;
}
