/** What is pushed, one after the other: files that are changed, and the rest stays. */
const API = 'api { entrypoint Post as post { response { id }, list endpoint {}, get endpoint {} } }\n';
const SEED = (field: string) => `populator Dev { populate Post { repeat as i 5, set ${field} "Post " + i.current } }\n`;
export const FIRST = {
  'models.kiln': 'model Post { field title { type string } }\n',
  'api.kiln': API,
  'seed.kiln': SEED('title'),
};
export const RENAMED = {
  'models.kiln': 'model Post { field headline { type string, was title } }\n',
  'seed.kiln': SEED('headline'),
};
/** What comes after a rename. */
export const SETTLED = { 'models.kiln': 'model Post { field headline { type string } }\n' };
export const LOST = {
  'models.kiln': 'model Post { field other { type string, default "" } }\n',
  'seed.kiln': SEED('other'),
};
export const HOOKED = {
  'models.kiln':
    'model Post {\n  field headline { type string }\n  hook loud { arg headline headline, source loud from "loud.js" }\n}\n',
  'api.kiln': API.replace('id }', 'id, loud }'),
};
