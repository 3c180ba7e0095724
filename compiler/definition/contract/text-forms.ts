/** The forms of texts that validators ask for, as patterns that JavaScript and JSON Schema both read. */

const LABEL = '[A-Za-z0-9]([A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?';

/** As browsers have it, with a dot in the domain. */
export const EMAIL = `^[A-Za-z0-9.!#$%&'*+\\/=?^_\`{|}~\\-]{1,64}@${LABEL}(\\.${LABEL})+$`;

/** In characters, by RFC 5321. */
export const LONGEST_EMAIL = 254;

export const UUID = '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$';

export const ALPHANUMERIC = '^[A-Za-z0-9]+$';

/** What follows must be a URL, too, which no pattern can say. */
export const URL_START = '^[Hh][Tt][Tt][Pp][Ss]?:\\/\\/[^\\s\\\\]+$';

/** In characters. Browsers and servers take no longer ones. */
export const LONGEST_URL = 8192;

/** In characters: `slugify` looks at no more, because bringing accents in order takes the square of their number. */
export const LONGEST_FOR_SLUG = 500;

/** In characters: what is looked for in a text may have no more, because it is compared at every character of the text. */
export const LONGEST_PART = 200;

/** The most bytes of a password, in UTF-8: some steps of hashing take the square of the length. */
export const LONGEST_PASSWORD = 1024;

/** The fewest characters of a password, unless the description says otherwise. */
export const SHORTEST_PASSWORD = 8;
