/** The headers that Kiln has added to those of HTTP, in lower case as Node has them. */

/** Names the request in the log. A client may send one. */
export const REQUEST_ID = 'x-request-id';

/** The fingerprint of the API: lets a client see that it was made for another one. */
export const CONTRACT = 'kiln-contract';

/** The number of records that a list was cut off at. */
export const TRUNCATED = 'kiln-list-truncated';
