import { describe, expect, it } from 'vitest'
import type { ChatRequest, OutputFormat } from '../../../canonical/request.ts'
import { geminiDialect } from '../../../providers/models/gemini-dialect.ts'
import { defaultDialect } from '../../dialect.ts'
import { writeRequest } from './write-request.ts'

const schema: OutputFormat = { type: 'json-schema', schema: { type: 'object', properties: { a: {} } } }
const tools = [{ type: 'function', name: 'ask' }] as const

function write(model: string, more: Partial<ChatRequest>) {
  const turns = [
    { role: 'system', authority: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ] as const
  const target = { model, dialect: { ...defaultDialect, ...geminiDialect(model) } }
  const { value, losses } = writeRequest({ model, stream: false, turns, ...more }, target)
  const { systemInstruction, generationConfig } = value
  return { systemInstruction, generationConfig, lost: losses.map(({ feature }) => feature) }
}

describe('JSON beside tools', () => {
  it.each([
    ['a schema', schema, JSON.stringify(schema.type === 'json-schema' ? schema.schema : undefined)],
    ['any JSON', { type: 'json' } as const, 'one JSON object'],
  ])('is asked for in words of a model that refuses the two together: %s', (_name, outputFormat, words) => {
    const { systemInstruction, generationConfig, lost } = write('gemini-2.5-pro', { outputFormat, tools })
    expect(systemInstruction).toEqual({
      parts: [{ text: 'Be brief.' }, { text: expect.stringContaining(words) }],
    })
    expect(generationConfig).toBeUndefined()
    expect(lost).toEqual(['json-output'])
  })

  it.each([
    ['gemini-3-pro-preview', { outputFormat: schema, tools }],
    ['gemini-2.5-pro', { outputFormat: schema }],
    [
      'gemini-2.5-pro',
      {
        outputFormat: schema,
        tools: [{ type: 'hosted', format: 'responses', value: { type: 'web_search' } }] as const,
      },
    ],
  ])('is demanded by the format where the model takes it: %s %j', (model, more) => {
    const { systemInstruction, generationConfig } = write(model, more)
    expect(systemInstruction).toEqual({ parts: [{ text: 'Be brief.' }] })
    expect(generationConfig).toMatchObject({ responseMimeType: 'application/json' })
  })
})
