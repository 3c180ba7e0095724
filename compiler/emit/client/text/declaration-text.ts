/** The values of a client as `client.d.ts` declares them; `error-text.ts` and `tree-text.ts` have their code. */
export const VALUE_DECLARATIONS = `export declare class ApiError extends Error {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly code: ErrorCode;
  readonly problem: Problem | undefined;
  readonly fields: Fields;
  readonly headers: Headers | undefined;
  /** The contract of the server, where it is not that of this client: the cause may lie there. */
  readonly otherContract: string | undefined;
  constructor(message: string, about: ErrorFacts);
}

export declare function createClient(options: ClientOptions): Client;
`;
