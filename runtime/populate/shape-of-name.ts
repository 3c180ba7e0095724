/** Which shape a text has, from the names of its field and its model. */
import type { ShapeName } from './shapes.ts';

/** The first that fits. */
const BY_FIELD: readonly (readonly [RegExp, ShapeName])[] = [
  [/(^|_)e?mail(_address)?$/, 'email'],
  [/(^|_)first_?name$|(^|_)given_name$/, 'firstName'],
  [/(^|_)(last_?name|surname|family_name)$/, 'lastName'],
  [/(^|_)(full_name|author_name|customer_name|contact_name|author|owner)$/, 'person'],
  [/(^|_)(user_?name|login|handle|nick(_?name)?)$/, 'userName'],
  [/(^|_)(company|organi[sz]ation|employer|brand|vendor|supplier)(_name)?$/, 'company'],
  [/(^|_)(job|job_title|occupation|profession)$/, 'jobTitle'],
  [/(^|_)(image|avatar|photo|picture|logo|thumbnail|icon)(_url)?$/, 'image'],
  [/(^|_)(url|link|website|homepage|href)$/, 'url'],
  [/(^|_)(domain|host|host_?name)$/, 'domain'],
  [/(^|_)(file|file_?name|attachment)$/, 'file'],
  [/(^|_)slug$/, 'slug'],
  [/(^|_)(phone|phone_number|mobile|fax|telephone)$/, 'phone'],
  [/(^|_)city$|(^|_)town$/, 'city'],
  [/(^|_)country_code$/, 'countryCode'],
  [/(^|_)country$/, 'country'],
  [/(^|_)(street|address|address_line_?\d*)$/, 'street'],
  [/(^|_)(state|region|province|county)$/, 'region'],
  [/(^|_)(zip|zip_?code|post_?code|postal_code)$/, 'postcode'],
  [/(^|_)(time_?zone|tz)$/, 'timeZone'],
  [/(^|_)(currency|currency_code)$/, 'currency'],
  [/(^|_)(language|locale|lang)$/, 'language'],
  [/(^|_)colou?r$/, 'color'],
  [/(^|_)(token|secret|api_key|key|hash|digest|password|checksum)$/, 'token'],
  [/(^|_)(ip|ip_address)$/, 'ip'],
  [/(^|_)user_agent$/, 'userAgent'],
  [/(^|_)version$/, 'version'],
  [/(^|_)(sku|code|reference|serial|isbn|barcode)$/, 'code'],
  [/(^|_)department$/, 'department'],
  [/(^|_)(title|headline|subject|heading)$/, 'title'],
  [/(^|_)(description|bio|summary|about|excerpt|caption|remark|note|comment|signature)s?$/, 'sentence'],
  [/(^|_)(body|content|text|message|article|story)$/, 'paragraph'],
];

/** Of what is called `name` and no more. */
const BY_MODEL: readonly (readonly [RegExp, ShapeName])[] = [
  [
    /user|author|person|people|customer|member|employee|contact|agent|student|teacher|patient|player|writer|artist|client|guest/i,
    'person',
  ],
  [/company|organi[sz]ation|brand|vendor|supplier|shop|store|agency|publisher/i, 'company'],
  [/product|item|article/i, 'product'],
  [/city|town/i, 'city'],
  [/country/i, 'country'],
  [/department|category/i, 'department'],
];

export function shapeOfName(field: string, model: string): ShapeName {
  const byField = BY_FIELD.find(([name]) => name.test(field))?.[1];
  if (byField) return byField;
  const isName = /(^|_)name$/.test(field);
  return (isName && BY_MODEL.find(([name]) => name.test(model))?.[1]) || 'words';
}
