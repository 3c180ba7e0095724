/** Tokens of an outside provider: JWTs, verified by the provider's keys. */
import type { JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import type { JwtConfig } from '../config/config.ts';
import { ApiError } from '../errors/api-error.ts';

export interface OutsideTokens {
  /** Whose token it is; null where it is not to be trusted. */
  subjectOf(token: string): Promise<string | null>;
}

/** Signatures only: a secret is never used as a public key, nor the other way round. */
const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'];
const KEY_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

export function outsideTokens(config: JwtConfig): OutsideTokens {
  let verifier: Promise<Verify> | undefined;
  return {
    subjectOf(token) {
      verifier ??= verifierOf(config);
      return verifier.then((verify) => verify(token));
    },
  };
}

type Verify = (token: string) => Promise<string | null>;

/** The library is loaded with the first token: most applications have no such provider. */
async function verifierOf({ key, issuer, audience }: JwtConfig): Promise<Verify> {
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
  /** As opposed to a provider that does not answer. */
  const isTokensFault = (error: unknown) =>
    error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== 'ERR_JOSE_GENERIC';
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, options);
      return typeof payload.sub === 'string' ? payload.sub : null;
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
