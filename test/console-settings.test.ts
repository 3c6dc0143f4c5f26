import { describe, expect, it } from 'vitest'
import { englishMessages } from '../console/src/language/en/messages.ts'
import { planSetting } from '../console/src/settings/setting-plan.ts'
import {
  isSameSetting,
  patchSetting,
  readSetting,
  writeSetting,
} from '../console/src/settings/setting-values.ts'
import { settingsViewSchema } from '../src/admin/settings/settings-contract.ts'
import { writeConfigJsonSchema } from '../src/config/check/known-names.ts'
import { apiSettings } from '../src/config/layers/api-document.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../src/kit/json/json.ts'
import { mergePatch } from '../src/kit/json/merge-patch.ts'

const { properties } = writeConfigJsonSchema()
const { schema: schemaShape, value: valueShape } = settingsViewSchema.shape.sections.element.shape

function planOf(name: string) {
  return planSetting(schemaShape.parse(isJsonObject(properties) ? properties[name] : {}))
}

/** Alerts have a page of their own. */
const typedSettings = [
  ...apiSettings.filter((name) => name !== 'alerts'),
  'ledger',
  'request_log',
  'stored_responses',
  'idempotency',
  'media',
]

describe.each(typedSettings)('the form of %s', (name) => {
  it('has a field with a text for everything in the schema', () => {
    const plan = planOf(name)
    expect(plan?.fields.length).toBeGreaterThan(0)
    const texts = (plan?.fields ?? []).map((field) => `settings.field.${name}.${field.name}`)
    expect(texts.filter((text) => !Object.hasOwn(englishMessages, text))).toEqual([])
  })

  it('has a text for each option of a choice', () => {
    const words = (planOf(name)?.fields ?? []).flatMap(({ kind }) => ('choices' in kind ? kind.choices : []))
    const missing = words.filter((word) => !Object.hasOwn(englishMessages, `settings.choice.${word}`))
    expect(missing).toEqual([])
  })
})

const written: readonly (readonly [name: string, value: JsonValue])[] = [
  ['retry', { attempts: 5, deadline: '2m' }],
  ['queue', 'off'],
  ['queue', {}],
  ['queue', { size: 7, wait: '10s' }],
  ['recovery', { mid_stream: 'verified' }],
  ['recovery', { mid_stream: 'off' }],
  ['limits', { body: '64MB', connections: 100 }],
  ['unpriced', 'refuse'],
  ['capture', { bodies: 'prompts', keys: { ci: 'both' }, redact: ['\\d{16}', 'a b, c'] }],
  ['media', { max_bytes: '1MB', allow_private: false }],
]

it.each(written)('the written form of %s survives an edit: %j', (name, value) => {
  const plan = planOf(name)
  if (plan === undefined) throw new Error(`${name} has no form`)
  expect(writeSetting(plan, readSetting(plan, valueShape.parse(value)))).toEqual(value)
})

it('a setting without any input has its default', () => {
  for (const name of typedSettings) {
    const plan = planOf(name)
    if (plan === undefined) throw new Error(`${name} has no form`)
    expect(writeSetting(plan, readSetting(plan, null))).toBeUndefined()
  }
})

const patches: readonly (readonly [before: JsonObject, after: JsonObject])[] = [
  [{ attempts: 5, deadline: '2m' }, { attempts: 6 }],
  [{}, { attempts: 6 }],
  [{ keys: { ci: 'both', web: 'off' } }, { keys: { ci: 'prompts' } }],
]

it.each(patches)('the patch from %j leads to %j, and names no unchanged field', (before, after) => {
  const patch = patchSetting(valueShape.parse(before), valueShape.parse(after))
  if (!isJsonObject(patch)) throw new Error('a patch of maps is a map')
  expect(mergePatch(before, patch)).toEqual(after)
  for (const [name, value] of Object.entries(patch)) expect(value).not.toEqual(before[name])
})

it('the order of the fields does not change a setting, at any depth', () => {
  const before = { deadline: '2m', backoff: { first: '1s', most: '5s' } }
  const after = { backoff: { most: '5s', first: '1s' }, deadline: '2m' }
  expect(patchSetting(before, after)).toEqual({})
  expect(isSameSetting(before, after)).toBe(true)
  expect(isSameSetting({}, null)).toBe(false)
})
