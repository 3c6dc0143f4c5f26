import { expect, expectTypeOf, test } from 'vitest'
import type { Capabilities } from '../catalog/capabilities.ts'
import { foldMemberName } from '../kit/json/scan-object.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { Provider } from './provider.ts'
import { providerRegistry, providers } from './registry.ts'

const all: readonly (readonly [string, Provider])[] = Object.entries(providers)

test('every provider is found by its own ID', () => {
  for (const [id, provider] of all) {
    expect(provider.id).toBe(id)
    expect(providerRegistry.find(id)).toBe(provider)
  }
  expect(providerRegistry.ids).toEqual(all.map(([id]) => id))
  expect(providerRegistry.find('constructor')).toBeUndefined()
})

test('every provider declares which request fields can bypass a permission', () => {
  for (const [id, { steeringFields }] of all) {
    const reason = `${id} has no steeringFields: list the fields of its documentation that lead to another model, provider, address or price, or write [] if it names none`
    expect(Array.isArray(steeringFields), reason).toBe(true)
  }
})

test('steering fields and header names are in lower case, as they are compared', () => {
  for (const [id, provider] of all) {
    // The test above says so where there are none.
    for (const field of provider.steeringFields ?? []) {
      const written = foldMemberName(field)
      expect(field, `${id}: write the steering field "${field}" in lower case, "${written}"`).toBe(written)
    }
    for (const name of [...Object.keys(provider.headers ?? {}), ...(provider.forwardHeaders ?? [])]) {
      const written = name.toLowerCase()
      expect(name, `${id}: write the header "${name}" in lower case, "${written}"`).toBe(written)
    }
  }
})

test('a default address uses https or points to this machine', () => {
  for (const [, { baseUrl }] of all)
    expect(baseUrl ?? 'https://').toMatch(/^(https:\/\/|http:\/\/127\.0\.0\.1)/)
})

test.each([
  ['o1', 'effort', 'developer'],
  ['o3-mini', 'effort', 'developer'],
  ['gpt-5', 'effort', 'developer'],
  ['gpt-5.6-mini', 'effort', 'developer'],
  ['gpt-10', 'effort', 'developer'],
  ['gpt-5-chat-latest', 'none', 'system'],
  ['gpt-4o', 'none', 'system'],
  ['gpt-4.1-mini', 'none', 'system'],
  ['ft:gpt-4o-mini:acme::abc', 'none', 'system'],
  ['omni-moderation-latest', 'none', 'system'],
])('openai sends %s with reasoning %s and the system role %s', (model, reasoning, systemRole) => {
  const dialect = providers.openai.dialect(model)
  expect(dialect).toMatchObject({ reasoning, systemRole, maxTokensField: 'max_completion_tokens' })
})

test('each capability that an operator sets has the name of the dialect field that it replaces', () => {
  /** These are facts of the model that no dialect declares. */
  type Others = 'reasons' | 'completions' | 'maxEmbeddingInputs' | 'contextWindowTokens'
  expectTypeOf<Exclude<keyof Capabilities, keyof Dialect>>().toEqualTypeOf<Others>()
})
