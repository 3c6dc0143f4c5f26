import { describe, expect, it } from 'vitest'
import { countPauses } from '../../../test/support/count-pauses.ts'
import { findProvider, openConversation } from '../../../test/support/open-conversation-lane.ts'
import { SEALED_PREFIX } from '../../canonical/carried-reasoning.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { responsesFormat } from '../../wire/responses/format.ts'
import { holdsReasoningSignature, isOpenedInSteps, openLane, openLaneInSteps } from './open-lane.ts'

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
    expect(holdsReasoningSignature(scanned)).toBe(true)
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
    expect(holdsReasoningSignature(messagesFormat.scanRequest(BodyBytes.from([body]), terms))).toBe(false)
  })
})

describe('a large body', () => {
  const turn = (index: number) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: 'a' })
  const large = (more: object = {}) =>
    JSON.stringify({
      model: 'm',
      messages: Array.from({ length: 8_001 }, (_, index) => turn(index)),
      ...more,
    })
  const open = (channelFormat: 'chat' | 'converse', body: string) => {
    const provider = findProvider(channelFormat === 'chat' ? 'openai' : 'bedrock')
    return openConversation({ provider, format: 'chat', channelFormat, body })
  }

  it('is read and written in steps with the same result as in one', () => {
    const { exchange, candidate, dependencies } = open('converse', large())
    expect(isOpenedInSteps(exchange, candidate, dependencies)).toBe(true)
    expect(countPauses(exchange.readSteps()).pauses).toBeGreaterThan(8)
    const { value, pauses } = countPauses(openLaneInSteps(exchange, candidate, dependencies))
    expect(pauses).toBeGreaterThan(8)
    const whole = openLane(exchange, candidate, dependencies)
    expect(value.type === 'call' && value.lane.body).toEqual(whole.type === 'call' && whole.lane.body)
  })

  it('is sent unchanged if the channel accepts it, unless it may hold reasoning that another account signed', () => {
    const asItIs = open('chat', large())
    expect(isOpenedInSteps(asItIs.exchange, asItIs.candidate, asItIs.dependencies)).toBe(false)
    const data = [{ type: 'reasoning.encrypted', data: sealed }]
    const said = { role: 'assistant', content: 'a', reasoning_details: data }
    const messages = [...Array.from({ length: 8_001 }, (_, index) => turn(index)), said]
    const carried = open('chat', large({ messages }))
    expect(isOpenedInSteps(carried.exchange, carried.candidate, carried.dependencies)).toBe(true)
  })

  it('is written at once when it is small', () => {
    const { exchange, candidate, dependencies } = open(
      'converse',
      JSON.stringify({ model: 'm', messages: [asked] }),
    )
    expect(isOpenedInSteps(exchange, candidate, dependencies)).toBe(false)
  })
})
