/** The forms of texts that validators ask for, as patterns of JSON Schema. They are those of the runtime. */

const LABEL = '[A-Za-z0-9]([A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?';

export const EMAIL = `^[A-Za-z0-9.!#$%&'*+\\/=?^_\`{|}~\\-]{1,64}@${LABEL}(\\.${LABEL})+$`;

export const UUID = '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$';

export const ALPHANUMERIC = '^[A-Za-z0-9]+$';

/** What follows must be a URL, too, which no pattern can say. */
export const URL_START = '^[Hh][Tt][Tt][Pp][Ss]?:\\/\\/[^\\s\\\\]+$';
