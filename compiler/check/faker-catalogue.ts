/** The methods of @faker-js/faker that a populator can call. A test names those that the installed faker has beside them. */

/** The possible types of an argument; an options object cannot be written in Kiln. */
export type FakerArgument = 'number' | 'string' | 'boolean' | 'list';

export interface FakerMethod {
  readonly returns: 'string' | 'integer' | 'float' | 'boolean' | 'timestamp' | 'date' | 'uuid' | 'json' | 'any';
  /** The method may give nothing. */
  readonly nullable?: true;
  /** The method returns a list of `returns`. */
  readonly list?: true;
  /** The smallest number of arguments. */
  readonly required: number;
  /** The largest number of arguments; 99 if there is no limit. */
  readonly most: number;
  /** The possible types of each argument, if there are any. */
  readonly takes?: readonly (readonly FakerArgument[])[];
}

const someAnyListOfList: FakerMethod = { returns: 'any', list: true, required: 1, most: 1, takes: [['list']] };
const someAnyListOfListNumber: FakerMethod = {
  returns: 'any',
  list: true,
  required: 2,
  most: 2,
  takes: [['list'], ['number']],
};
const someAnyListOfList_Number: FakerMethod = {
  returns: 'any',
  list: true,
  required: 1,
  most: 2,
  takes: [['list'], ['number']],
};
const someAnyOfList: FakerMethod = { returns: 'any', required: 1, most: 1, takes: [['list']] };
const someBoolean_Number: FakerMethod = { returns: 'boolean', required: 0, most: 1, takes: [['number']] };
const someFloat: FakerMethod = { returns: 'float', required: 0, most: 0 };
const someFloatList: FakerMethod = { returns: 'float', list: true, required: 0, most: 0 };
const someFloat_Number: FakerMethod = { returns: 'float', required: 0, most: 1, takes: [['number']] };
const someInteger: FakerMethod = { returns: 'integer', required: 0, most: 0 };
const someInteger_Number: FakerMethod = { returns: 'integer', required: 0, most: 1, takes: [['number']] };
const someJson: FakerMethod = { returns: 'json', required: 0, most: 0 };
const someString: FakerMethod = { returns: 'string', required: 0, most: 0 };
const someStringOfString: FakerMethod = { returns: 'string', required: 1, most: 1, takes: [['string']] };
const someStringOfStringOrList: FakerMethod = { returns: 'string', required: 1, most: 1, takes: [['string', 'list']] };
const someStringOfStringOrList_Number: FakerMethod = {
  returns: 'string',
  required: 1,
  most: 2,
  takes: [['string', 'list'], ['number']],
};
const someString_Boolean: FakerMethod = { returns: 'string', required: 0, most: 1, takes: [['boolean']] };
const someString_Number: FakerMethod = { returns: 'string', required: 0, most: 1, takes: [['number']] };
const someString_Number_String: FakerMethod = {
  returns: 'string',
  required: 0,
  most: 2,
  takes: [['number'], ['string']],
};
const someString_String: FakerMethod = { returns: 'string', required: 0, most: 1, takes: [['string']] };
const someString_String_String: FakerMethod = {
  returns: 'string',
  required: 0,
  most: 2,
  takes: [['string'], ['string']],
};
const someTimestamp: FakerMethod = { returns: 'timestamp', required: 0, most: 0 };
const someUuid: FakerMethod = { returns: 'uuid', required: 0, most: 0 };

export const fakerCatalogue: Readonly<Record<string, Readonly<Record<string, FakerMethod>>>> = {
  airline: {
    aircraftType: someString,
    airline: someJson,
    airplane: someJson,
    airport: someJson,
    flightNumber: someString,
    recordLocator: someString,
    seat: someString,
  },
  animal: {
    bear: someString,
    bird: someString,
    cat: someString,
    cetacean: someString,
    cow: someString,
    crocodilia: someString,
    dog: someString,
    fish: someString,
    horse: someString,
    insect: someString,
    lion: someString,
    petName: someString,
    rabbit: someString,
    rodent: someString,
    snake: someString,
    type: someString,
  },
  book: {
    author: someString,
    format: someString,
    genre: someString,
    publisher: someString,
    series: someString,
    title: someString,
  },
  color: {
    cmyk: someFloatList,
    colorByCSSColorSpace: someFloatList,
    cssSupportedFunction: someString,
    cssSupportedSpace: someString,
    hsl: someFloatList,
    human: someString,
    hwb: someFloatList,
    lab: someFloatList,
    lch: someFloatList,
    rgb: someString,
    space: someString,
  },
  commerce: {
    department: someString,
    isbn: someString_Number,
    price: someString,
    product: someString,
    productAdjective: someString,
    productDescription: someString,
    productMaterial: someString,
    productName: someString,
    upc: someString,
  },
  company: {
    buzzAdjective: someString,
    buzzNoun: someString,
    buzzPhrase: someString,
    buzzVerb: someString,
    catchPhrase: someString,
    catchPhraseAdjective: someString,
    catchPhraseDescriptor: someString,
    catchPhraseNoun: someString,
    name: someString,
  },
  database: {
    collation: someString,
    column: someString,
    engine: someString,
    mongodbObjectId: someString,
    type: someString,
  },
  datatype: { boolean: someBoolean_Number },
  date: {
    anytime: someTimestamp,
    birthdate: someTimestamp,
    future: someTimestamp,
    month: someString,
    past: someTimestamp,
    recent: someTimestamp,
    soon: someTimestamp,
    timeZone: someString,
    weekday: someString,
  },
  finance: {
    accountName: someString,
    accountNumber: someString_Number,
    amount: someString,
    bic: someString,
    bitcoinAddress: someString,
    creditCardCVV: someString,
    creditCardIssuer: someString,
    creditCardNumber: someString_String,
    currency: someJson,
    currencyCode: someString,
    currencyName: someString,
    currencyNumericCode: someString,
    currencySymbol: someString,
    ethereumAddress: someString,
    iban: someString,
    litecoinAddress: someString,
    pin: someString_Number,
    routingNumber: someString,
    transactionDescription: someString,
    transactionType: someString,
  },
  food: {
    adjective: someString,
    description: someString,
    dish: someString,
    ethnicCategory: someString,
    fruit: someString,
    ingredient: someString,
    meat: someString,
    spice: someString,
    vegetable: someString,
  },
  git: {
    branch: someString,
    commitDate: someString,
    commitEntry: someString,
    commitMessage: someString,
    commitSha: someString,
  },
  hacker: {
    abbreviation: someString,
    adjective: someString,
    ingverb: someString,
    noun: someString,
    phrase: someString,
    verb: someString,
  },
  helpers: {
    arrayElement: someAnyOfList,
    arrayElements: someAnyListOfList_Number,
    fake: someStringOfStringOrList,
    fromRegExp: someStringOfString,
    replaceCreditCardSymbols: someString_String_String,
    replaceSymbols: someString_String,
    shuffle: someAnyListOfList,
    slugify: someString_String,
    uniqueArray: someAnyListOfListNumber,
  },
  image: {
    avatar: someString,
    avatarGitHub: someString,
    dataUri: someString,
    personPortrait: someString,
    url: someString,
    urlPicsumPhotos: someString,
  },
  internet: {
    displayName: someString,
    domainName: someString,
    domainSuffix: someString,
    domainWord: someString,
    email: someString,
    emoji: someString,
    exampleEmail: someString,
    httpMethod: someString,
    httpStatusCode: someInteger,
    ip: someString,
    ipv4: someString,
    ipv6: someString,
    jwt: someString,
    jwtAlgorithm: someString,
    mac: someString_String,
    password: someString,
    port: someInteger,
    protocol: someString,
    url: someString,
    userAgent: someString,
    username: someString,
  },
  location: {
    buildingNumber: someString,
    cardinalDirection: someString,
    city: someString,
    continent: someString,
    country: someString,
    countryCode: someString_String,
    county: someString,
    direction: someString,
    language: someJson,
    latitude: someFloat,
    longitude: someFloat,
    nearbyGPSCoordinate: someFloatList,
    ordinalDirection: someString,
    postalAddress: someString,
    secondaryAddress: someString,
    state: someString,
    street: someString,
    streetAddress: someString_Boolean,
    timeZone: someString,
    zipCode: someString_String,
  },
  lorem: {
    lines: someString_Number,
    paragraph: someString_Number,
    paragraphs: someString_Number_String,
    sentence: someString_Number,
    sentences: someString_Number_String,
    slug: someString_Number,
    text: someString,
    word: someString_Number,
    words: someString_Number,
  },
  music: { album: someString, artist: someString, genre: someString, songName: someString },
  number: {
    binary: someString_Number,
    float: someFloat_Number,
    hex: someString_Number,
    int: someInteger_Number,
    octal: someString_Number,
    romanNumeral: someString_Number,
  },
  person: {
    bio: someString,
    firstName: someString_String,
    fullName: someString,
    gender: someString,
    jobArea: someString,
    jobDescriptor: someString,
    jobTitle: someString,
    jobType: someString,
    lastName: someString_String,
    middleName: someString_String,
    prefix: someString_String,
    sex: someString,
    sexType: someString,
    suffix: someString,
    zodiacSign: someString,
  },
  phone: { imei: someString, number: someString },
  science: { chemicalElement: someJson, unit: someJson },
  string: {
    alpha: someString_Number,
    alphanumeric: someString_Number,
    binary: someString,
    fromCharacters: someStringOfStringOrList_Number,
    hexadecimal: someString,
    nanoid: someString_Number,
    numeric: someString_Number,
    octal: someString,
    sample: someString_Number,
    symbol: someString_Number,
    ulid: someString,
    uuid: someUuid,
  },
  system: {
    commonFileExt: someString,
    commonFileName: someString_String,
    commonFileType: someString,
    cron: someString,
    directoryPath: someString,
    fileExt: someString_String,
    fileName: someString,
    filePath: someString,
    fileType: someString,
    mimeType: someString,
    networkInterface: someString,
    semver: someString,
  },
  vehicle: {
    bicycle: someString,
    color: someString,
    fuel: someString,
    manufacturer: someString,
    model: someString,
    type: someString,
    vehicle: someString,
    vin: someString,
    vrm: someString,
  },
  word: {
    adjective: someString_Number,
    adverb: someString_Number,
    conjunction: someString_Number,
    interjection: someString_Number,
    noun: someString_Number,
    preposition: someString_Number,
    sample: someString_Number,
    verb: someString_Number,
    words: someString_Number,
  },
};
