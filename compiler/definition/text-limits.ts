/** How long texts of a form may be, in characters, for the runtime that checks them and the document that says so. */

/** Of an e-mail address, by RFC 5321. */
export const LONGEST_EMAIL = 254;

/** Browsers and servers take no longer ones. */
export const LONGEST_URL = 8192;
