import type { Definition } from '../definition/definition.ts';
import { type Answer, accessRules, answerTo } from './access-rules.ts';
import type { Access } from './difference.ts';

/** Who may call an endpoint. */
export interface AccessRow {
  readonly id: string;
  /** `GET /api/post/{post_slug}`. */
  readonly endpoint: string;
  /** Whether a caller is let in who is not signed in. */
  readonly anonymous: Answer;
  /** Whether a caller is let in of whom nothing more is known than that. */
  readonly signedIn: Answer;
  readonly access: Access;
}

/** All endpoints, also those of accounts: by path, then by method. */
export function accessMatrix(definition: Definition): readonly AccessRow[] {
  return accessRules(definition).map(({ id, endpoint, access, callers }) => ({
    id,
    endpoint,
    anonymous: answerTo(callers, false),
    signedIn: answerTo(callers, true),
    access,
  }));
}
