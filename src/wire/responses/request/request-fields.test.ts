import type * as Responses from 'openai/resources/responses/responses'
import type * as Shared from 'openai/resources/shared'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readReply } from '../reply/read-reply.ts'
import { readRequest } from './read-request.ts'
import * as fields from './request-fields.ts'

type NamesOf<Union> = Union extends unknown ? keyof Union & string : never

/** Fails to compile where the table lacks a name of the SDK's type, or has one that the type lacks. */
function holds<Union>() {
  return <const Table extends Readonly<Record<NamesOf<Union>, string>>>(
    table: Table & { readonly [Name in Exclude<keyof Table, NamesOf<Union>>]: never },
  ): number => Object.keys(table).length
}

const held = [
  holds<Responses.ResponseCreateParams>()(fields.requestFields),
  holds<Responses.ResponseCreateParams.StreamOptions>()(fields.streamOptionsFields),
  holds<Responses.ResponseTextConfig>()(fields.textFields),
  holds<Responses.ResponseFormatTextJSONSchemaConfig>()(fields.schemaFormatFields),
  holds<Shared.Reasoning>()(fields.reasoningFields),
  holds<Responses.EasyInputMessage | Responses.ResponseInputMessageItem>()(fields.inputMessageFields),
  holds<Responses.ResponseOutputMessage>()(fields.outputMessageFields),
  holds<Responses.ResponseFunctionToolCall>()(fields.functionCallFields),
  holds<Responses.ResponseCustomToolCall>()(fields.customCallFields),
  holds<Responses.ResponseInputItem.FunctionCallOutput>()(fields.functionOutputFields),
  holds<Responses.ResponseCustomToolCallOutput>()(fields.customOutputFields),
  holds<Responses.ResponseReasoningItem>()(fields.reasoningItemFields),
  holds<Responses.ResponseInputText>()(fields.inputTextFields),
  holds<Responses.ResponseInputImage>()(fields.inputImageFields),
  holds<Responses.ResponseInputFile>()(fields.inputFileFields),
  holds<Responses.ResponseInputAudio>()(fields.inputAudioFields),
  holds<Responses.ResponseOutputText>()(fields.outputTextFields),
  holds<Responses.ResponseOutputRefusal>()(fields.refusalFields),
  holds<Responses.ResponseOutputText.URLCitation>()(fields.urlCitationFields),
  holds<Responses.FunctionTool>()(fields.functionToolFields),
  holds<Responses.CustomTool>()(fields.customToolFields),
  holds<Responses.Response>()(fields.replyFields),
  holds<Responses.ResponseUsage>()(fields.usageFields),
  holds<Responses.ResponseUsage.InputTokensDetails>()(fields.inputDetailsFields),
  holds<Responses.ResponseUsage.OutputTokensDetails>()(fields.outputDetailsFields),
  holds<Responses.ResponseInputItem.ImageGenerationCall>()(fields.imageCallFields),
]

function extrasIn(value: unknown): readonly string[] {
  const found: string[] = []
  JSON.stringify(value, (name, inner) => {
    if (name === 'extras') found.push(...Object.keys(inner.fields))
    return inner
  })
  return found
}

/** A value for a field that its reader does not look into. */
const unread: JsonValue = { x: 1 }

function fill(table: Readonly<Record<string, string>>, base: JsonObject): JsonObject {
  const names = Object.keys(table).filter((name) => table[name] !== 'named')
  return { ...Object.fromEntries(names.map((name) => [name, unread])), ...base }
}

function keptIn(table: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(table).filter((name) => table[name] === 'extras')
}

describe('the fields of the responses format', () => {
  it('are those of the official SDK, by name', () => {
    for (const count of held) expect(count).toBeGreaterThan(0)
  })

  const message = { type: 'message', role: 'user', content: 'Hi' }
  const requests: readonly (readonly [
    string,
    Readonly<Record<string, string>>,
    (filled: JsonObject) => JsonObject,
  ])[] = [
    ['a request', fields.requestFields, (filled) => ({ ...filled, model: 'm', input: 'Hi' })],
    [
      'a message',
      fields.inputMessageFields,
      (filled) => ({ model: 'm', input: [{ ...filled, ...message }] }),
    ],
    [
      'a call',
      fields.functionCallFields,
      (filled) => ({
        model: 'm',
        input: [{ ...filled, type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }],
      }),
    ],
    [
      'a result',
      fields.functionOutputFields,
      (filled) => ({
        model: 'm',
        input: [{ ...filled, type: 'function_call_output', call_id: 'c', output: 'r' }],
      }),
    ],
    [
      'a function',
      fields.functionToolFields,
      (filled) => ({ model: 'm', input: 'Hi', tools: [{ ...filled, type: 'function', name: 'f' }] }),
    ],
  ]
  it.each(requests)('of %s without a canonical name are all retained', (_name, table, wrap) => {
    const read = readRequest(wrap(fill(table, {})))
    expect(extrasIn(read).toSorted()).toEqual([...keptIn(table)].toSorted())
  })

  it('of an answer are retained unless they repeat the request', () => {
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }]
    const body = fill(fields.replyFields, {
      id: 'r',
      object: 'response',
      status: 'completed',
      error: null,
      output,
    })
    expect(extrasIn(readReply(body)).toSorted()).toEqual([...keptIn(fields.replyFields)].toSorted())
  })
})
