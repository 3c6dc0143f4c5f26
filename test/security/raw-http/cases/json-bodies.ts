import { type RawCase, raw } from '../raw-case.ts'

const served = { answers: ['200'], after: 'open' } as const
const messages = '"messages":[{"role":"user","content":"CASE"}]'

function refused(code: string) {
  return { answers: [`400 ${code}`], after: 'open' } as const
}

function withField(field: string): string {
  return raw({ body: `{"model":"m",${messages},${field}}` })
}

const keys = (count: number) => Array.from({ length: count }, (_, index) => `"${index}":1`).join(',')

/** Bodies that spoil a reader of JSON, or make two readers differ. */
export const jsonCases: readonly RawCase[] = [
  { name: 'a list', bytes: raw({ body: '[]' }), ...refused('body_not_object') },
  { name: 'a string', bytes: raw({ body: '"a"' }), ...refused('body_not_object') },
  { name: 'null', bytes: raw({ body: 'null' }), ...refused('body_not_object') },
  { name: 'a body cut off', bytes: raw({ body: `{"model":"m",${messages}` }), ...refused('invalid_json') },
  {
    name: 'a second value behind the first',
    bytes: raw({ body: `{"model":"m",${messages}}{}` }),
    ...refused('invalid_json'),
  },
  { name: 'white space around', bytes: raw({ body: ` \r\n\t{"model":"m",${messages}} \n` }), ...served },
  {
    name: 'a comma at the end',
    bytes: raw({ body: `{"model":"m",${messages},}` }),
    ...refused('invalid_json'),
  },
  { name: 'a comment', bytes: raw({ body: `{/**/"model":"m",${messages}}` }), ...refused('invalid_json') },
  { name: 'single quotes', bytes: raw({ body: "{'model':'m'}" }), ...refused('invalid_json') },
  { name: 'brackets that do not match', bytes: withField('"a":[}'), ...refused('invalid_json') },
  { name: '64 levels', bytes: withField(`"a":${'['.repeat(63)}${']'.repeat(63)}`), ...served },
  {
    name: '65 levels',
    bytes: withField(`"a":${'['.repeat(64)}${']'.repeat(64)}`),
    ...refused('json_too_deep'),
  },
  { name: '20,000 levels', bytes: withField(`"a":${'['.repeat(20_000)}`), ...refused('json_too_deep') },
  {
    name: '20,000 levels of objects',
    bytes: withField(`"a":${'{"a":'.repeat(10_000)}`),
    ...refused('json_too_deep'),
  },
  { name: '6,000 keys in an object', bytes: withField(`"a":{${keys(6_000)}}`), ...served },
  { name: 'a number of 64 characters', bytes: withField(`"seed":${'1'.repeat(64)}`), ...served },
  {
    name: 'a number of 65 characters',
    bytes: withField(`"seed":${'1'.repeat(65)}`),
    ...refused('invalid_json'),
    says: '64',
  },
  {
    name: 'a number of 65 characters inside',
    bytes: withField(`"a":[${'1'.repeat(65)}]`),
    ...refused('invalid_json'),
  },
  {
    name: 'a number of 10,000 characters',
    bytes: withField(`"a":{"b":0.${'1'.repeat(10_000)}}`),
    ...refused('invalid_json'),
  },
  { name: 'a number beyond any double, which goes on as it is', bytes: withField('"seed":1e400'), ...served },
  {
    name: 'an integer beyond 2^53, which goes on as it is',
    bytes: withField('"seed":12345678901234567890'),
    ...served,
  },
  {
    name: 'the model twice',
    bytes: withField('"model":"other"'),
    ...refused('duplicate_field'),
    says: 'model',
  },
  {
    name: 'the model twice, once in capitals',
    bytes: withField('"MODEL":"other"'),
    ...refused('duplicate_field'),
  },
  {
    name: 'the model twice, once escaped',
    bytes: withField('"mod\\u0065l":"other"'),
    ...refused('duplicate_field'),
  },
  { name: 'an unknown field twice', bytes: withField('"a":1,"a":2'), ...refused('duplicate_field') },
  {
    name: 'the model in capitals alone',
    bytes: raw({ body: `{"MODEL":"m",${messages}}` }),
    ...refused('invalid_field'),
  },
  { name: 'the model escaped alone', bytes: raw({ body: `{"mod\\u0065l":"m",${messages}}` }), ...served },
  { name: 'no model', bytes: raw({ body: `{${messages}}` }), ...refused('missing_field') },
  {
    name: 'a model that is a list',
    bytes: raw({ body: `{"model":["m"],${messages}}` }),
    ...refused('invalid_field'),
  },
  {
    name: 'a model with a space',
    bytes: raw({ body: `{"model":"m ",${messages}}` }),
    answers: ['404 model_not_found'],
    after: 'open',
  },
  {
    name: 'a model with a NUL',
    bytes: raw({ body: `{"model":"m\\u0000",${messages}}` }),
    answers: ['404 model_not_found'],
    after: 'open',
  },
  {
    name: 'a model named __proto__',
    bytes: raw({ body: `{"model":"__proto__",${messages}}` }),
    answers: ['404 model_not_found'],
    after: 'open',
  },
  { name: 'a field named __proto__', bytes: withField('"__proto__":{"stream":true}'), ...served },
  {
    name: 'a NUL in the content',
    bytes: raw({ body: '{"model":"m","messages":[{"role":"user","content":"a\\u0000b"}]}' }),
    ...served,
  },
  {
    name: 'half a pair in the content',
    bytes: raw({ body: '{"model":"m","messages":[{"role":"user","content":"\\ud800"}]}' }),
    ...served,
  },
  {
    name: 'a raw line feed in the model',
    bytes: raw({ body: `{"model":"m\n",${messages}}` }),
    ...refused('invalid_json'),
  },
  { name: 'no messages', bytes: raw({ body: '{"model":"m"}' }), ...refused('missing_field') },
  {
    name: 'an empty list of messages',
    bytes: raw({ body: '{"model":"m","messages":[]}' }),
    ...refused('invalid_field'),
  },
  { name: 'stream as a word', bytes: withField('"stream":"true"'), ...refused('invalid_field') },
  { name: 'NaN', bytes: withField('"stream":NaN'), ...refused('invalid_json') },
]
