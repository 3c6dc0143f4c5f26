import { describe, expect, test } from 'vitest'
import { GatewayError } from '../canonical/failure.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { chatFormat } from './chat/format.ts'
import { geminiFormat } from './gemini/format.ts'
import { MAX_SCHEMA_VALUES } from './limit-schema-size.ts'
import { messagesFormat } from './messages/format.ts'
import { responsesFormat } from './responses/format.ts'

/** A schema of so many JSON values. */
function schemaOf(values: number): JsonObject {
  return { enum: Array.from({ length: Math.ceil(values) - 2 }, (_, index) => index) }
}

function refusalOf(read: () => unknown): object {
  try {
    read()
  } catch (error) {
    if (error instanceof GatewayError) return error.failure
  }
  return {}
}

const user = { role: 'user', content: 'a' }
const formats = [
  {
    format: chatFormat,
    tool: (parameters: JsonObject) => ({
      model: 'm',
      messages: [user],
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
    }),
    answer: (schema: JsonObject) => ({
      model: 'm',
      messages: [user],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    }),
    param: 'response_format',
  },
  {
    format: messagesFormat,
    tool: (schema: JsonObject) => ({
      model: 'm',
      max_tokens: 9,
      messages: [user],
      tools: [{ name: 'f', input_schema: schema }],
    }),
    answer: (schema: JsonObject) => ({
      model: 'm',
      max_tokens: 9,
      messages: [user],
      output_config: { format: { type: 'json_schema', schema } },
    }),
    param: 'output_config.format',
  },
  {
    format: responsesFormat,
    tool: (parameters: JsonObject) => ({
      model: 'm',
      input: 'a',
      tools: [{ type: 'function', name: 'f', parameters }],
    }),
    answer: (schema: JsonObject) => ({
      model: 'm',
      input: 'a',
      text: { format: { type: 'json_schema', name: 'a', schema } },
    }),
    param: 'text.format',
  },
  {
    format: geminiFormat,
    tool: (parametersJsonSchema: JsonObject) => ({
      model: 'm',
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema }] }],
    }),
    answer: (responseJsonSchema: JsonObject) => ({
      model: 'm',
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema },
    }),
    param: 'generationConfig.responseJsonSchema',
  },
]

describe.each(formats)('$format.id', ({ format, tool, answer, param }) => {
  test('accepts an answer schema with the largest number of values', () => {
    const request = format.readRequest(answer(schemaOf(MAX_SCHEMA_VALUES)))
    expect(request.outputFormat?.type).toBe('json-schema')
  })

  test('refuses a larger answer schema, and names the field', () => {
    const refusal = refusalOf(() => format.readRequest(answer(schemaOf(MAX_SCHEMA_VALUES + 1))))
    expect(refusal).toMatchObject({ code: 'json_too_complex', param })
  })

  test('refuses tools with larger schemas, and names them', () => {
    const refusal = refusalOf(() => format.readRequest(tool(schemaOf(MAX_SCHEMA_VALUES))))
    expect(refusal).toMatchObject({ code: 'json_too_complex', param: 'tools' })
  })
})

test('the limit applies to the schemas of all tools together', () => {
  const tools = Array.from({ length: 3 }, (_, index) => ({
    type: 'function',
    function: { name: `f${index}`, parameters: schemaOf(MAX_SCHEMA_VALUES / 3) },
  }))
  const refusal = refusalOf(() => chatFormat.readRequest({ model: 'm', messages: [user], tools }))
  expect(refusal).toMatchObject({ code: 'json_too_complex', param: 'tools' })
})
