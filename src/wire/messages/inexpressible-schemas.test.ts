import { describe, expect, it } from 'vitest'
import type { ChatRequest, Tool } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { anthropic } from '../../providers/vendors/anthropic.ts'
import { writeRequest } from './request/write-request.ts'

const hello = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const
const base: ChatRequest = { model: 'public', turns: [hello], stream: false, maxOutputTokens: 20_000 }
const text = { type: 'string' }
const closed = { type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false }
const map = { type: 'object', additionalProperties: { type: 'number' } }
const scores = { type: 'object', properties: { scores: map }, required: ['scores'] }
const tree = {
  type: 'object',
  properties: { children: { type: 'array', items: { $ref: '#' } } },
  required: ['children'],
  additionalProperties: false,
}

function write(more: Partial<ChatRequest>, model = 'claude-sonnet-4-5') {
  const { value, losses, callerTools } = writeRequest(
    { ...base, ...more },
    { model, dialect: anthropic.dialect(model) },
  )
  return { body: value, callerTools, losses: losses.map(({ feature, kind }) => `${feature} ${kind}`) }
}

function strict(parameters: JsonObject | undefined, name = 'f'): Tool {
  return { type: 'function', name, strict: true, ...(parameters === undefined ? {} : { parameters }) }
}

describe('an answer by a schema that the provider does not accept', () => {
  it.each([
    ['repeats itself', tree],
    ['maps names to values', scores],
  ])('is the input of a tool that must be called if the schema %s', (_how, schema) => {
    const outputFormat = { type: 'json-schema', schema, name: 'n' } as const
    const { body, losses, callerTools } = write({ outputFormat })
    expect(body['output_config']).toBeUndefined()
    expect(body['tools']).toMatchObject([{ name: 'give_answer', input_schema: schema }])
    expect(body['tools']).not.toMatchObject([{ strict: true }])
    expect(body['tool_choice']).toMatchObject({ type: 'tool', name: 'give_answer' })
    expect(callerTools?.get('give_answer')?.kind).toBe('answer')
    expect(losses).toEqual(['json-output approximated'])
  })

  it.each<[string, Partial<ChatRequest>]>([
    ['the caller has tools', { tools: [{ type: 'function', name: 'f', parameters: closed }] }],
    ['the model is to think', { reasoning: { mode: 'on', budgetTokens: 2_000 } }],
    ['a tool may not have it', { outputFormat: { type: 'json-schema', schema: { ...tree, anyOf: [{}] } } }],
  ])('is requested in the prompt if %s', (_why, more) => {
    const outputFormat = { type: 'json-schema', schema: tree, name: 'n', description: 'A tree.' } as const
    const { body, losses } = write({ outputFormat, ...more })
    expect(body['output_config']).toBeUndefined()
    expect(body['tool_choice']).toBeUndefined()
    expect(body['system']).toContain('valid against this JSON Schema')
    expect(losses).toEqual(['json-output approximated'])
  })

  it('is requested in the prompt from a model that cannot be forced to call', () => {
    const outputFormat = { type: 'json-schema', schema: tree, name: 'n' } as const
    const { body } = write({ outputFormat }, 'claude-opus-5')
    expect(body['system']).toContain(JSON.stringify(tree))
  })
})

describe('an answer schema that is a reference', () => {
  it('has its description beside an `anyOf` with the reference, since nothing may be beside a reference', () => {
    const schema = { $ref: '#/$defs/A', $defs: { A: closed } }
    const outputFormat = { type: 'json-schema', schema, name: 'n', description: 'An A.' } as const
    expect(write({ outputFormat }).body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: closed }, description: 'An A.' },
      },
    })
  })
})

describe('a strict tool', () => {
  it.each([
    ['repeats itself', tree],
    ['maps names to values', scores],
    ['is a reference', { type: 'object', $ref: '#/$defs/A', $defs: { A: closed } }],
  ])('is sent unchanged without `strict` if its schema %s', (_how, parameters) => {
    const { body, losses } = write({ tools: [strict(parameters)] })
    expect(body['tools']).toEqual([{ name: 'f', input_schema: parameters }])
    expect(losses).toEqual(['tool-strict dropped'])
  })

  it.each<[string, JsonObject | undefined]>([
    ['says no parameters', undefined],
    ['lists none', { type: 'object', properties: {} }],
  ])('stays strict if it %s', (_how, parameters) => {
    const { body, losses } = write({ tools: [strict(parameters)] })
    expect(body['tools']).toEqual([
      {
        name: 'f',
        strict: true,
        input_schema: { type: 'object', properties: {}, additionalProperties: false },
      },
    ])
    expect(losses).toContain('tool-strict approximated')
  })

  it('stays strict beside the provider’s largest number of strict tools', () => {
    const tools = Array.from({ length: 21 }, (_, index) => strict(closed, `f${index}`))
    const { body, losses } = write({ tools })
    expect(body['tools']).toMatchObject([...Array(20).fill({ strict: true }), { name: 'f20' }])
    expect(JSON.stringify(body['tools']).match(/"strict"/g)).toHaveLength(20)
    expect(losses).toEqual(['tool-strict dropped'])
  })

  it('stays strict as far as the answer schema leaves room', () => {
    const nullable = { type: ['string', 'null'] }
    const names = Array.from({ length: 9 }, (_, index) => `p${index}`)
    const schema = {
      ...closed,
      properties: Object.fromEntries(names.map((name) => [name, nullable])),
      required: names,
    }
    const outputFormat = { type: 'json-schema', schema, name: 'n' } as const
    const { body, losses } = write({ outputFormat, tools: [strict(schema, 'f'), strict(closed, 'g')] })
    expect(body['output_config']).toMatchObject({ format: { schema } })
    expect(body['tools']).toEqual([
      { name: 'f', input_schema: schema },
      { name: 'g', input_schema: closed, strict: true },
    ])
    expect(losses).toEqual(['tool-strict dropped'])
  })
})
