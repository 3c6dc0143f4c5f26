import { describe, expect, it } from 'vitest'
import { SEALED_PREFIX } from '../../canonical/carried-reasoning.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { responsesFormat } from '../../wire/responses/format.ts'
import { holdsSealedReasoning } from './sealed-reasoning.ts'

const sealed = `${SEALED_PREFIX}abc`
const inBase64 = Buffer.from(sealed).toString('base64')
const asked = { role: 'user', content: 'Hi' }
const terms = { model: 'm', isStream: false }

describe('a body with a sealed signature', () => {
  it.each([
    [
      'thinking of the messages format',
      messagesFormat,
      {
        model: 'm',
        max_tokens: 9,
        messages: [
          asked,
          { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: sealed }] },
        ],
      },
    ],
    [
      'a detail of the chat format',
      chatFormat,
      {
        model: 'm',
        messages: [
          asked,
          {
            role: 'assistant',
            content: 'a',
            reasoning_details: [{ type: 'reasoning.encrypted', data: sealed }],
          },
        ],
      },
    ],
    [
      'reasoning of the responses format',
      responsesFormat,
      { model: 'm', input: [{ type: 'reasoning', id: 'r', summary: [], encrypted_content: sealed }] },
    ],
    [
      'a part of the Gemini format',
      geminiFormat,
      { contents: [{ role: 'model', parts: [{ text: 'a', thoughtSignature: inBase64 }] }] },
    ],
  ])('is recognised by %s', (_where, format, body) => {
    const scanned = format.scanRequest(BodyBytes.from([Buffer.from(JSON.stringify(body))]), terms)
    expect(holdsSealedReasoning(scanned)).toBe(true)
  })

  it.each([
    ['the words of the user', { messages: [{ role: 'user', content: sealed }] }],
    ['a system prompt', { system: sealed, messages: [asked] }],
    ['a picture of the user', { messages: [{ role: 'user', content: [{ type: 'image', data: sealed }] }] }],
    ['what the model said', { messages: [asked, { role: 'assistant', content: sealed }] }],
    [
      'the input of a tool',
      { messages: [asked, { role: 'assistant', content: [{ type: 'tool_use', input: { data: sealed } }] }] },
    ],
    ['the description of a tool', { tools: [{ name: 'f', signature: sealed }], messages: [asked] }],
  ])('is not recognised by its mark in %s', (_where, more) => {
    const body = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, ...more }))
    expect(holdsSealedReasoning(messagesFormat.scanRequest(BodyBytes.from([body]), terms))).toBe(false)
  })
})
