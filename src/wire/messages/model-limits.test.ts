import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { anthropic } from '../../providers/vendors/anthropic.ts'
import { writeRequest } from './request/write-request.ts'

const hello = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const
const base: ChatRequest = { model: 'public', turns: [hello], stream: false, maxOutputTokens: 20_000 }
const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }] as const

function write(model: string, more: Partial<ChatRequest>): { body: JsonObject; losses: readonly string[] } {
  const { value, losses } = writeRequest({ ...base, ...more }, { model, dialect: anthropic.dialect(model) })
  const named = losses.map(({ feature, kind, field }) => [feature, kind, field].filter(Boolean).join(' '))
  return { body: value, losses: named }
}

describe('the output cap', () => {
  it.each([
    ['claude-3-haiku-20240307', undefined, 4096, 'max-output-tokens defaulted'],
    ['claude-opus-5-5', undefined, 128_000, 'max-output-tokens defaulted'],
    ['claude-3-5-haiku-latest', 20_000, 8192, 'max-output-tokens approximated'],
    ['claude-sonnet-4-5', 20_000, 20_000, undefined],
  ])('of %s for a request of %s is %i', (model, asked, cap, loss) => {
    const { maxOutputTokens: _cap, ...rest } = base
    const request = asked === undefined ? rest : { ...rest, maxOutputTokens: asked }
    const { value, losses } = writeRequest(request, { model, dialect: anthropic.dialect(model) })
    expect(value['max_tokens']).toBe(cap)
    expect(losses.map(({ feature, kind }) => `${feature} ${kind}`)).toEqual(loss === undefined ? [] : [loss])
  })

  it('is the operator’s if there is one', () => {
    const { maxOutputTokens: _cap, ...rest } = base
    const dialect = { ...anthropic.dialect('claude-opus-5'), defaultMaxTokens: 500 }
    expect(writeRequest(rest, { model: 'claude-opus-5', dialect }).value['max_tokens']).toBe(500)
  })
})

describe('a caller who asks only that no thoughts are shown', () => {
  it.each(['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-opus-5'])(
    'does not turn the thinking of %s on',
    (model) => {
      const { body, losses } = write(model, { reasoning: { display: 'omitted' } })
      expect(body['thinking']).toBeUndefined()
      expect(losses).toEqual(['reasoning-display dropped'])
    },
  )

  it('keeps that beside a budget', () => {
    const { body } = write('claude-sonnet-4-5', { reasoning: { display: 'omitted', budgetTokens: 2000 } })
    expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens: 2000, display: 'omitted' })
  })
})

describe('an effort', () => {
  const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } })
  const cases: readonly (readonly [string, ChatRequest['reasoning'], object, readonly string[]])[] = [
    ['claude-3-5-sonnet-20241022', { effort: 'high' }, {}, ['reasoning-effort dropped']],
    ['claude-sonnet-4-5', { effort: 'low' }, budget(4096), ['reasoning-effort approximated']],
    ['claude-sonnet-4-5', { effort: 'none' }, {}, []],
    ['claude-opus-4-5', { effort: 'medium' }, { ...budget(10_000), output_config: { effort: 'medium' } }, []],
    [
      'claude-opus-4-6',
      { effort: 'high' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      [],
    ],
    [
      'claude-sonnet-4-6',
      { effort: 'xhigh' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      ['reasoning-effort approximated'],
    ],
    ['claude-opus-5', { effort: 'xhigh' }, { output_config: { effort: 'xhigh' } }, []],
    [
      'claude-opus-5',
      { effort: 'minimal' },
      { output_config: { effort: 'low' } },
      ['reasoning-effort approximated'],
    ],
    ['claude-opus-5', { effort: 'none' }, { thinking: { type: 'disabled' } }, []],
    ['claude-opus-4-8', { effort: 'none' }, {}, []],
    [
      'claude-sonnet-5-5',
      { effort: 'none' },
      { thinking: { type: 'between_tools' } },
      ['thinking-mode approximated'],
    ],
    [
      'claude-opus-5-5',
      { effort: 'none' },
      { output_config: { effort: 'low' } },
      ['thinking-mode approximated'],
    ],
    [
      'claude-opus-4-8',
      { mode: 'on', budgetTokens: 3000 },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      ['reasoning-budget approximated'],
    ],
    // Gemini takes fewer tokens than Anthropic.
    ['claude-sonnet-4-5', { budgetTokens: 512 }, budget(1024), ['reasoning-budget approximated']],
    ['claude-sonnet-4-6', { budgetTokens: 512 }, budget(1024), ['reasoning-budget approximated']],
  ]
  for (const [model, reasoning, expected, losses] of cases) {
    it(`for ${model}, ${JSON.stringify(reasoning)}, has the form of the model`, () => {
      const written = write(model, { reasoning: reasoning ?? {}, maxOutputTokens: 64_000 })
      const { thinking, output_config } = written.body
      const said = {
        ...(thinking === undefined ? {} : { thinking }),
        ...(output_config && { output_config }),
      }
      expect(said).toEqual(expected)
      // The oldest has a lower cap than is asked for.
      expect(written.losses.filter((loss) => !loss.startsWith('max-output-tokens'))).toEqual(losses)
    })
  }

  it('leaves room for the answer below the cap, or is dropped if there is none', () => {
    const high = { effort: 'high' } as const
    const fitted = write('claude-sonnet-4-5', { reasoning: high, maxOutputTokens: 10_000 })
    expect(fitted.body).toMatchObject({ max_tokens: 10_000, thinking: { budget_tokens: 8000 } })
    expect(fitted.losses).toContain('reasoning-budget approximated')
    const none = write('claude-sonnet-4-5', { reasoning: high, maxOutputTokens: 1000 })
    expect(none.body).not.toHaveProperty('thinking')
    expect(none.losses).toContain('thinking-mode dropped')
  })

  it('is dropped for a forced call, but not for an optional one', () => {
    const reasoning = { effort: 'high' } as const
    for (const model of ['claude-sonnet-4-5', 'claude-opus-4-6']) {
      const forced = write(model, {
        reasoning,
        tools,
        toolChoice: { type: 'required' },
        maxOutputTokens: 64_000,
      })
      expect(forced.body).toMatchObject({ tool_choice: { type: 'any' } })
      expect(forced.body).not.toHaveProperty('thinking')
      expect(forced.losses).toContain('thinking-mode dropped')
      const free = write(model, { reasoning, tools, toolChoice: { type: 'auto' }, maxOutputTokens: 64_000 })
      expect(free.body).toHaveProperty('thinking')
    }
  })

  it('is dropped when pending calls were made without signed thinking', () => {
    const call = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' } as const
    const results = [{ type: 'tool-result', callId: 'c', content: [], isError: false }] as const
    const loop = (...content: readonly object[]) =>
      [
        hello,
        { role: 'assistant', content: [...content, call] },
        { role: 'tool', results },
      ] as ChatRequest['turns']
    const reasoning = { effort: 'low' } as const
    expect(write('claude-sonnet-4-5', { reasoning, turns: loop() }).body).not.toHaveProperty('thinking')
    const signed = loop({ type: 'thinking', text: 'Hm.', signature: 'c2ln' })
    expect(write('claude-sonnet-4-5', { reasoning, turns: signed }).body).toHaveProperty('thinking')
    expect(write('claude-opus-4-6', { reasoning, turns: loop() }).body).toHaveProperty('thinking')
  })
})

describe('sampling', () => {
  const cases: readonly (readonly [string, Partial<ChatRequest>, object, readonly string[]])[] = [
    ['claude-3-5-sonnet-20241022', { temperature: 0.5, topP: 0.9 }, { temperature: 0.5, top_p: 0.9 }, []],
    ['claude-sonnet-4-5', { temperature: 0.5, topP: 0.9 }, { temperature: 0.5 }, ['sampling dropped top_p']],
    ['claude-sonnet-4-5', { temperature: 1, topP: 0.9 }, { top_p: 0.9 }, []],
    ['claude-sonnet-4-5', { temperature: 0, topP: 1 }, { temperature: 0 }, []],
    ['claude-sonnet-4-5', { temperature: 1.7 }, { temperature: 1 }, ['sampling approximated']],
    ['claude-opus-5', { temperature: 1, topP: 1 }, {}, []],
    ['claude-opus-5', { temperature: 0.2, topP: 0.5 }, {}, ['sampling dropped', 'sampling dropped top_p']],
    ['claude-opus-4-6', { temperature: 0.2, reasoning: { effort: 'low' } }, {}, ['sampling dropped']],
  ]
  for (const [model, more, expected, losses] of cases) {
    it(`for ${model}, ${JSON.stringify(more)}, has only the model’s parameters`, () => {
      const { temperature, top_p } = write(model, { ...more, maxOutputTokens: 8000 }).body
      expect({
        ...(temperature !== undefined && { temperature }),
        ...(top_p !== undefined && { top_p }),
      }).toEqual(expected)
      expect(write(model, { ...more, maxOutputTokens: 8000 }).losses).toEqual(losses)
    })
  }
})

describe('tools', () => {
  it('are not forced on a model that decides for itself', () => {
    const { body, losses } = write('claude-opus-5-5', { tools, toolChoice: { type: 'required' } })
    expect(body).toMatchObject({ tool_choice: { type: 'auto' } })
    expect(losses).toEqual(['tool-choice approximated'])
  })

  it('are strict if the model supports it, with a closed schema of supported keywords', () => {
    const parameters = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } } }
    const strict = [{ type: 'function', name: 'f', parameters, strict: true }] as const
    const held = write('claude-sonnet-4-5', { tools: strict })
    expect(held.body).toMatchObject({
      tools: [
        {
          strict: true,
          input_schema: { properties: { age: { type: 'integer' } }, additionalProperties: false },
        },
      ],
    })
    expect(JSON.stringify(held.body['tools'])).not.toContain('minimum')
    expect(held.losses).toEqual(['tool-strict approximated'])
    const older = write('claude-3-5-sonnet-20241022', { tools: strict, maxOutputTokens: 99 })
    expect(older.body['tools']).toEqual([{ name: 'f', input_schema: parameters }])
    expect(older.losses).toEqual(['tool-strict dropped'])
  })

  it('are offered as far as the choice allows them', () => {
    const offered = [...tools, { type: 'function', name: 'g', parameters: { type: 'object' } }] as const
    const allowed = [{ type: 'function', function: { name: 'g' } }]
    const toolChoice = { type: 'allowed', mode: 'required', tools: allowed } as const
    const { body, losses } = write('claude-sonnet-4-5', { tools: offered, toolChoice })
    expect(body).toMatchObject({ tools: [{ name: 'g' }], tool_choice: { type: 'any' } })
    expect(losses).toEqual(['allowed-tools approximated'])
  })
})

describe('a JSON answer with a schema', () => {
  const text = { type: 'string' }
  const schema = {
    type: 'object',
    properties: {
      maximum: { type: 'array', items: { type: 'object', properties: { a: text } }, minItems: 2 },
    },
    required: ['maximum'],
  }
  const outputFormat = { type: 'json-schema', schema, name: 'n' } as const

  it('closes every object, since the provider refuses open ones', () => {
    const { body, losses } = write('claude-haiku-4-5', { outputFormat })
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            maximum: {
              type: 'array',
              items: { type: 'object', properties: { a: text }, additionalProperties: false },
            },
          },
          required: ['maximum'],
          additionalProperties: false,
        },
      },
    })
    expect(losses).toEqual(['json-output approximated'])
  })

  it('is the input of a tool that must be called when the model supports no answer schema', () => {
    const { body, losses } = write('claude-sonnet-4-0', { outputFormat })
    expect(body).not.toHaveProperty('output_config')
    expect(body).not.toHaveProperty('system')
    expect(body['tools']).toMatchObject([{ name: 'give_answer', input_schema: schema }])
    const choice = { type: 'tool', name: 'give_answer', disable_parallel_tool_use: true }
    expect(body['tool_choice']).toEqual(choice)
    expect(losses).toEqual(['json-output approximated'])
  })

  it.each([
    ['the caller has tools, which the model may need first', { tools }],
    ['the model is to think, and no call can be demanded', { reasoning: { effort: 'high' } }],
    ['the answer is no object', { outputFormat: { ...outputFormat, schema: { type: 'array' } } }],
  ] as const)('is requested in the prompt if %s', (_why, more) => {
    const { body } = write('claude-sonnet-4-0', { outputFormat, ...more })
    expect(body['system']).toContain('valid against this JSON Schema')
    expect(body['tool_choice']).toBeUndefined()
  })

  it('is requested in the prompt if no call can be forced', () => {
    const { body, losses } = write('claude-sonnet-4-0', { outputFormat, reasoning: { mode: 'adaptive' } })
    expect(body).not.toHaveProperty('output_config')
    expect(body['system']).toContain(JSON.stringify(schema))
    expect(losses).toEqual(['thinking-mode approximated', 'json-output approximated'])
  })
})
