import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../kit/json/json.ts'
import { writeRequest as writeChatRequest } from '../chat/request/write-request.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest as writeResponsesRequest } from '../responses/request/write-request.ts'

function requestOf(...ids: readonly string[]): ChatRequest {
  return {
    model: 'm',
    stream: false,
    turns: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: ids.map((id) => ({ type: 'tool-call', id, name: 'f', kind: 'function', input: '{}' })),
      },
      {
        role: 'tool',
        results: ids.map((callId) => ({ type: 'tool-result', callId, content: [], isError: false })),
      },
    ],
  }
}

const long = 'x'.repeat(50)
const target = { model: 'm', dialect: defaultDialect }

/** All texts under a name, wherever they stand. */
function textsUnder(name: string, value: JsonValue | undefined): readonly string[] {
  if (isJsonArray(value)) return value.flatMap((item) => textsUnder(name, item))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && typeof inner === 'string' ? [inner] : textsUnder(name, inner),
  )
}

describe('a call id longer than a service accepts', () => {
  it('has 40 characters at most in the chat format, the same for a call and its result', () => {
    const { value, losses } = writeChatRequest(requestOf(`${long}1`, `${long}2`, 'x'.repeat(40)), target)
    const ids = textsUnder('id', value)
    expect(ids.map(({ length }) => length <= 40)).toEqual([true, true, true])
    expect(new Set(ids).size).toBe(3)
    expect(ids[2]).toBe('x'.repeat(40))
    expect(textsUnder('tool_call_id', value)).toEqual(ids)
    expect(losses).toEqual([])
  })

  it('has 64 characters at most in the responses format', () => {
    const { value } = writeResponsesRequest(requestOf(`${long}${long}1`, `${long}${long}2`, long), target)
    const ids = textsUnder('call_id', value)
    expect(ids.map(({ length }) => length <= 64)).toEqual([true, true, true, true, true, true])
    expect(ids.slice(0, 3)).toEqual(ids.slice(3))
    expect(new Set(ids).size).toBe(3)
    expect(ids[2]).toBe(long)
  })
})
