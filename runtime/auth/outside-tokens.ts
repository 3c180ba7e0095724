/** Tokens of an outside provider: JWTs, verified by the provider's keys. */
import type { JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { once } from '../../compiler/definition/memo.ts';
import type { JwtConfig } from '../config/config.ts';
import { ApiError } from '../errors/api-error.ts';

/** Reads the claims of a token, above all its `sub`; null where the token is not trustworthy. */
export type OutsideTokens = (token: string) => Promise<Claims | null>;

interface Claims extends Readonly<Record<string, unknown>> {
  readonly sub: string;
}

/** Signatures only: a secret is never used as a public key, nor the other way round. */
const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'];
const KEY_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

export function outsideTokens(config: JwtConfig): OutsideTokens {
  const verifier = once(() => verifierOf(config));
  return async (token) => (await verifier())(token);
}

/** The library is loaded with the first token: most applications have no such provider. */
async function verifierOf({ key, issuer, audience }: JwtConfig): Promise<OutsideTokens> {
  const { createRemoteJWKSet, errors, jwtVerify } = await import('jose');
  const options: JWTVerifyOptions = {
    algorithms: key.kind === 'secret' ? SECRET_ALGORITHMS : KEY_ALGORITHMS,
    issuer,
    audience,
    requiredClaims: ['sub', 'exp'],
  };
  const keys: JWTVerifyGetKey =
    key.kind === 'secret'
      ? async () => new TextEncoder().encode(key.secret)
      : createRemoteJWKSet(new URL(key.url), { timeoutDuration: 5000 });
  /** Whether the token is at fault, as opposed to a provider that does not answer. */
  const isTokensFault = (error: unknown) =>
    error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== 'ERR_JOSE_GENERIC';
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, options);
      const { sub } = payload;
      return typeof sub === 'string' ? { ...payload, sub } : null;
    } catch (error) {
      if (isTokensFault(error)) return null;
      throw keysUnavailable(error);
    }
  };
}

function keysUnavailable(cause: unknown): ApiError {
  const detail = 'The keys for verifying tokens cannot be fetched.';
  return new ApiError('unavailable', { detail, cause });
}

/** An opaque token has no dots. */
export function looksLikeJwt(token: string): boolean {
  return token.split('.').length === 3;
}
