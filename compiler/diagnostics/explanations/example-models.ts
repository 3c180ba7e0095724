import { block } from './explanation.ts';

/** Models that many examples have, named by what is in them. */
export const POST_TITLE = block('model Post', 'field title { type string }');
export const POST_PUBLISHED = block('model Post', 'field published { type boolean, default false }');
export const POST_TITLE_PUBLISHED = block(
  'model Post',
  'field title { type string }',
  'field published { type boolean, default false }',
);
export const POST_TITLE_COMMENTS = block(
  'model Post',
  'field title { type string }',
  'relation comments { from Comment, through post }',
);
export const POST_AUTHOR = block('model Post', 'reference author { to Author }');
export const POST_AUTHOR_TITLE = block('model Post', 'reference author { to Author }', 'field title { type string }');
export const COMMENT_POST_BODY = block('model Comment', 'reference post { to Post }', 'field body { type string }');
export const AUTHOR_NAME = block('model Author', 'field name { type string }');
export const AUTHOR_NAME_POSTS = block(
  'model Author',
  'field name { type string }',
  'relation posts { from Post, through author }',
);
export const AUTHOR_EMAIL = block('model Author', 'field email { type string, unique }');
export const USER_EMAIL = block('model User', 'field email { type string, unique }');
export const USER_EMAIL_PASSWORD = block(
  'model User',
  'field email { type string, unique }',
  'field password_hash { type string, secret }',
);
export const TICKET_STATUS = block('model Ticket', 'field status { type Status }');
