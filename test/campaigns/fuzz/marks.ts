/** Marks in what a client sends and in what is stored, by which a leak is found wherever it turns up. */

/** In free texts of bodies, queries and headers: no line of the log may have it, but in the path of a request. */
export const SENT = 'sEnTmArK';
/** In every password that is sent. */
export const PASSWORD = 'pAsSmArK';
/** In every stored value of a `secret` field that holds text. */
export const SECRET_TEXT = 'sEcReTmArK';
/** What stored and sent numbers of `secret` fields begin with. */
export const SECRET_NUMBER = '918273645';
