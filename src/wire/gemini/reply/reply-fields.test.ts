import type * as Genai from '@google/genai'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readReply } from './read-reply.ts'
import * as fields from './reply-fields.ts'
import { writeReply } from './write-reply.ts'

/** Fails to compile where the table lacks a name of the SDK's type, or has one that the type lacks. */
function holds<Type>() {
  return <const Table extends Readonly<Record<keyof Type & string, string>>>(
    table: Table & { readonly [Name in Exclude<keyof Table, keyof Type & string>]: never },
  ): number => Object.keys(table).length
}

/** The members that the client works out of an answer. */
type Derived =
  | 'text'
  | 'data'
  | 'functionCalls'
  | 'executableCode'
  | 'codeExecutionResult'
  | 'initialPromptTokenCount'

const held = [
  holds<Omit<Genai.GenerateContentResponse, Derived>>()(fields.responseFields),
  holds<Genai.Candidate>()(fields.candidateFields),
  holds<Genai.GenerateContentResponseUsageMetadata>()(fields.usageFields),
  holds<Genai.GroundingMetadata>()(fields.groundingFields),
  holds<Genai.Citation>()(fields.citationFields),
]

const unread: JsonValue = { x: 1 }

function keptOf(table: Readonly<Record<string, string>>): JsonObject {
  const names = Object.keys(table).filter((name) => table[name] === 'extras')
  return Object.fromEntries(names.map((name) => [name, unread]))
}

describe('the fields of an answer of the Gemini format', () => {
  it('are those of the official SDK, by name', () => {
    for (const count of held) expect(count).toBeGreaterThan(0)
  })

  it('without a canonical name come back unchanged', () => {
    const answer = {
      candidates: [
        {
          ...keptOf(fields.candidateFields),
          content: { parts: [{ text: 'Hi' }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
          groundingMetadata: keptOf(fields.groundingFields),
          x_new: unread,
        },
      ],
      usageMetadata: {
        promptTokenCount: 1,
        candidatesTokenCount: 2,
        totalTokenCount: 3,
        serviceTier: 'standard',
        ...keptOf(fields.usageFields),
      },
      modelVersion: 'm',
      createTime: '2026-11-20T00:00:00.000Z',
      responseId: 'r',
      ...keptOf(fields.responseFields),
      x_new: unread,
    }
    const reply = readReply(answer)
    if ('code' in reply) throw new Error(reply.message)
    const { value, losses } = writeReply(reply)
    expect(JSON.parse(JSON.stringify(value))).toEqual(answer)
    expect(losses).toEqual([])
  })
})
