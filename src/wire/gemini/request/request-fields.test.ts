import type * as Genai from '@google/genai'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { readRequest } from './read-request.ts'
import * as fields from './request-fields.ts'

type NamesOf<Union> = Union extends unknown ? keyof Union & string : never

/** Fails to compile where the table lacks a name of the SDK's type, or has one that the type lacks. */
function holds<Union>() {
  return <const Table extends Readonly<Record<NamesOf<Union>, string>>>(
    table: Table & { readonly [Name in Exclude<keyof Table, NamesOf<Union>>]: never },
  ): number => Object.keys(table).length
}

/** The SDK's one configuration holds what the wire has at the top and what it has in `generationConfig`. */
type Config = Genai.GenerateContentConfig
/** Fields that the SDK does not send, and those inside `generationConfig`. */
type OwnOfSdk =
  | 'httpOptions'
  | 'abortSignal'
  | 'automaticFunctionCalling'
  | 'automaticContinuation'
  | 'continuationToken'
  | 'generationOutputConfig'
type AtTop = Omit<Config, OwnOfSdk | keyof Genai.GenerationConfig | 'imageConfig'> & {
  contents: unknown
  generationConfig: unknown
}

const held = [
  holds<AtTop>()(fields.requestFields),
  holds<Genai.GenerationConfig>()(fields.generationConfigFields),
  holds<Genai.ThinkingConfig>()(fields.thinkingConfigFields),
  holds<Genai.Content>()(fields.contentFields),
  holds<Genai.Part>()(fields.partFields),
  holds<Genai.Blob>()(fields.blobFields),
  holds<Genai.FileData>()(fields.fileDataFields),
  holds<Genai.FunctionCall>()(fields.functionCallFields),
  holds<Genai.FunctionResponse>()(fields.functionResponseFields),
  holds<Genai.FunctionDeclaration>()(fields.functionDeclarationFields),
  holds<Genai.ToolConfig>()(fields.toolConfigFields),
  holds<Genai.FunctionCallingConfig>()(fields.functionCallingConfigFields),
]

/** The names of all fields that stay unchanged, including those inside a part. */
function extrasIn(value: unknown): readonly string[] {
  const found: string[] = []
  JSON.stringify(value, (name, inner) => {
    if (name === 'extras') found.push(...leavesOf(inner.fields))
    return inner
  })
  return found
}

function leavesOf(value: JsonObject): readonly string[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    isJsonObject(inner) && !('x' in inner) ? leavesOf(inner) : [name],
  )
}

/** A value for a field that its reader does not look into. */
const unread: JsonValue = { x: 1 }

function fill(table: Readonly<Record<string, string>>): JsonObject {
  const names = Object.keys(table).filter((name) => table[name] !== 'named')
  return Object.fromEntries(names.map((name) => [name, unread]))
}

function keptIn(table: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(table).filter((name) => table[name] === 'extras')
}

function snakeCase(object: JsonObject): JsonObject {
  const rename = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]))
}

const said = { role: 'user', parts: [{ text: 'Hi' }] }
const base = { model: 'm', contents: [said] }
const call = { name: 'f', args: {} }

const requests: readonly (readonly [
  string,
  Readonly<Record<string, string>>,
  (filled: JsonObject) => JsonObject,
])[] = [
  ['a request', fields.requestFields, (filled) => ({ ...filled, ...base })],
  ['its configuration', fields.generationConfigFields, (generationConfig) => ({ ...base, generationConfig })],
  [
    'a part',
    fields.partFields,
    (filled) => ({ ...base, contents: [{ parts: [{ ...filled, text: 'Hi' }] }] }),
  ],
  [
    'a call',
    fields.functionCallFields,
    (filled) => ({
      ...base,
      contents: [said, { role: 'model', parts: [{ functionCall: { ...filled, ...call } }] }],
    }),
  ],
  [
    'a result',
    fields.functionResponseFields,
    (filled) => ({
      ...base,
      contents: [
        { role: 'model', parts: [{ functionCall: call }] },
        { parts: [{ functionResponse: { ...filled, name: 'f', response: {} } }] },
      ],
    }),
  ],
  [
    'a function',
    fields.functionDeclarationFields,
    (filled) => ({ ...base, tools: [{ functionDeclarations: [{ ...filled, name: 'f' }] }] }),
  ],
  ['the choice of tools', fields.toolConfigFields, (toolConfig) => ({ ...base, toolConfig })],
]

describe('the fields of the Gemini format', () => {
  it('are those of the official SDK, by name', () => {
    for (const count of held) expect(count).toBeGreaterThan(0)
  })

  it.each(requests)('of %s without a canonical name are all retained', (_name, table, wrap) => {
    const read = readRequest(wrap(fill(table)))
    expect(extrasIn(read).toSorted()).toEqual([...keptIn(table)].toSorted())
  })

  it.each(requests)('of %s are the same in either spelling', (_name, table, wrap) => {
    expect(readRequest(wrap(snakeCase(fill(table))))).toEqual(readRequest(wrap(fill(table))))
  })
})
