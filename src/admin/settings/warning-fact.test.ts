import { expect, it } from 'vitest'
import { writeWarning } from '../../access/key-warning.ts'
import { readWarning } from './warning-fact.ts'

const model = 'gpt "4"'

it.each([
  { type: 'unserved_model', model },
  { type: 'withheld_by_group', model, group: 'free' },
  { type: 'unserved_fallback', model },
  { type: 'ungranted_fallback', model },
] as const)('the warning $type of an owner is data', (warning) => {
  const { type, ...values } = warning
  expect(readWarning(writeWarning(warning, 'keys: "ci"'))).toEqual({
    kind: type,
    values: { object: 'keys', owner: 'ci', ...values },
  })
})

it.each([
  ['channels: there is none, so no model can be served', 'no_channels'],
  [
    'listen: keys travel unencrypted unless a proxy in front of this address serves https',
    'unencrypted_listener',
  ],
  ['tls.cert: the certificate ended on 2026-01-01T00:00:00.000Z', 'certificate_ended'],
  ['budgets: "all" stands on the group "gone", which is not there', 'absent_scope'],
  [
    'models: no price is known for a, so requests for them are refused; give each a "price"',
    'unpriced_refused',
  ],
])('the warning "%s" is data', (sentence, kind) => {
  expect(readWarning(sentence).kind).toBe(kind)
})

it('a warning that no pattern knows stays a text', () => {
  expect(readWarning('something else')).toEqual({ kind: 'text', values: { text: 'something else' } })
})
