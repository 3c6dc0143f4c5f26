import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import { bedrockDialect } from '../../providers/models/bedrock-dialect.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest } from './request/write-request.ts'

const map = { type: 'object', additionalProperties: { type: 'number' } }
const outputFormat = { type: 'json-schema', schema: map, name: 'n', description: 'Scores.' } as const

function write(more: Partial<ChatRequest>, model = 'eu.anthropic.claude-haiku-4-5-20251001-v1:0') {
  const turns = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const
  const dialect = { ...defaultDialect, ...bedrockDialect(model) }
  const { value, losses } = writeRequest({ model: 'm', stream: false, turns, ...more }, { model, dialect })
  return { value, losses: losses.map(({ feature, kind }) => `${feature} ${kind}`) }
}

describe('a schema outside the strict subset of Claude', () => {
  it('is that of a tool that must be called', () => {
    const { value, losses } = write({ outputFormat })
    expect(value['outputConfig']).toBeUndefined()
    expect(value['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'give_answer', description: 'Scores.', inputSchema: { json: map } } }],
      toolChoice: { tool: { name: 'give_answer' } },
    })
    expect(losses).toEqual(['json-output approximated'])
  })

  it('is described in the prompt when the model is to think', () => {
    const { value, losses } = write({ outputFormat, reasoning: { mode: 'on', budgetTokens: 2_000 } })
    expect(value['outputConfig']).toBeUndefined()
    expect(JSON.stringify(value['system'])).toContain('It is: Scores.')
    expect(losses).toContain('json-output approximated')
  })

  it('makes its tool no longer strict', () => {
    const { value, losses } = write({
      tools: [{ type: 'function', name: 'f', parameters: map, strict: true }],
    })
    expect(value['toolConfig']).toEqual({ tools: [{ toolSpec: { name: 'f', inputSchema: { json: map } } }] })
    expect(losses).toEqual(['tool-strict dropped'])
  })
})

describe('a schema for another provider’s model', () => {
  it('passes unchanged', () => {
    const tools = [{ type: 'function', name: 'f', parameters: map, strict: true }] as const
    const { value } = write({ tools }, 'openai.gpt-oss-120b-1:0')
    expect(value['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: map }, strict: true } }],
    })
  })
})
