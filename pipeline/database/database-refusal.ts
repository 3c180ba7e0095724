/** The database does not do what it is asked. The message is a sentence for the user; no password is ever in it. */
export class DatabaseRefusal extends Error {}
