import type { ChatRequest as ClientChat, GenerateRequest, Options } from 'ollama'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../../canonical/failure.ts'
import { BodyBytes } from '../../../kit/json/body-bytes.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { ollamaChatFormat } from '../format.ts'
import { readChat, readGenerate } from './read-request.ts'
import { chatFields, generateFields, optionFields } from './request-fields.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const chat = (more: JsonObject) => readChat({ model: 'm', messages, ...more })
const generate = (more: JsonObject) => readGenerate({ model: 'm', prompt: 'Hi', ...more })

function refusalOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (error instanceof GatewayError) return error.failure.param
  }
  return 'taken'
}

describe('requests of Ollama’s clients', () => {
  it('have the fields of the official types', () => {
    const chatNames: Record<keyof ClientChat, string> = chatFields
    const generateNames: Record<keyof GenerateRequest, string> = generateFields
    const options: Partial<Record<keyof Options, string>> = optionFields
    for (const table of [chatNames, generateNames, options])
      expect(Object.keys(table).length).toBeGreaterThan(5)
  })

  it('are streams unless they set stream to false', () => {
    const isStream = (text: string) =>
      ollamaChatFormat.scanRequest(BodyBytes.from([Buffer.from(text)])).isStream
    expect(isStream('{"model":"m","messages":[]}')).toBe(true)
    expect(isStream('{"model":"m","stream":null}')).toBe(true)
    expect(isStream('{"model":"m","stream":false}')).toBe(false)
    expect([chat({}).stream, chat({ stream: false }).stream]).toEqual([true, false])
  })

  it('have their sampling among the options, and retain options for local servers unread', () => {
    const options = { num_predict: 7, temperature: 0, top_p: 0.5, top_k: 3, seed: 1, stop: 'a', num_ctx: 9 }
    expect(chat({ options, keep_alive: '5m' })).toMatchObject({
      maxOutputTokens: 7,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 1,
      stopSequences: ['a'],
      extras: { fields: { keep_alive: '5m', options: { num_ctx: 9 } } },
    })
    expect(chat({ options: { num_predict: -1 } }).maxOutputTokens).toBeUndefined()
    for (const top_k of [0, -1]) expect(chat({ options: { top_k } }).topK).toBeUndefined()
  })

  it('of older clients send empty fields without a meaning', () => {
    const zeros = {
      format: '',
      options: {},
      keep_alive: null,
      raw: false,
      context: [],
      template: '',
      suffix: '',
    }
    expect(generate({ ...zeros, system: '', images: [], stream: false })).toEqual({
      model: 'm',
      turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stream: false,
    })
  })

  it.each([
    [{ format: 'json' }, { outputFormat: { type: 'json' } }],
    [{ format: { type: 'object' } }, { outputFormat: { type: 'json-schema', schema: { type: 'object' } } }],
    [{ think: true }, { reasoning: { mode: 'adaptive' } }],
    [{ think: false }, { reasoning: { mode: 'off' } }],
    [{ think: 'high' }, { reasoning: { effort: 'high' } }],
    [
      { logprobs: true, top_logprobs: 2 },
      { logprobs: true, topLogprobs: 2 },
    ],
  ])('with %j are read', (more, read) => {
    expect(chat(more)).toMatchObject(read)
  })

  it('have results that answer the calls: by id, by name, in order', () => {
    const call = (name: string, id?: string) => ({
      ...(id && { id }),
      function: { name, arguments: { a: 1 } },
    })
    const read = readChat({
      model: 'm',
      messages: [
        ...messages,
        { role: 'assistant', content: '', tool_calls: [call('x'), call('y'), call('x', 'own')] },
        { role: 'tool', content: '1', tool_call_id: 'own' },
        { role: 'tool', content: '2', tool_name: 'y' },
        { role: 'tool', content: '3' },
      ],
    })
    const results = read.turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : []))
    expect(results.map(({ callId }) => callId)).toEqual(['own', 'call_2', 'call_1'])
    expect(read.turns[1]?.role === 'assistant' && read.turns[1].content[0]).toMatchObject({
      input: '{"a":1}',
    })
  })

  it('belong to the first open call where their call has no such ID or name, as clients drop IDs', () => {
    const called = (name: string) => ({ function: { name, arguments: {} } })
    const read = readChat({
      model: 'm',
      messages: [
        { role: 'assistant', content: '', tool_calls: [called('x'), called('y'), called('z')] },
        { role: 'tool', content: '1', tool_call_id: 'call_dropped', tool_name: 'y' },
        { role: 'tool', content: '2', tool_call_id: 'call_dropped_too' },
        { role: 'tool', content: '3', tool_name: 'other' },
        { role: 'tool', content: '4', tool_call_id: 'call_of_no_call' },
      ],
    })
    const results = read.turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : []))
    expect(results.map(({ callId }) => callId)).toEqual(['call_2', 'call_1', 'call_3', 'call_of_no_call'])
  })

  it('belong to the call of the tool in their name, as clients until 2025 send it', () => {
    const called = (name: string) => ({ function: { name, arguments: {} } })
    const read = readChat({
      model: 'm',
      messages: [
        { role: 'assistant', content: '', tool_calls: [called('x'), called('y')] },
        { role: 'tool', content: '1', name: 'y' },
      ],
    })
    const results = read.turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : []))
    expect(results).toEqual([
      { type: 'tool-result', callId: 'call_2', content: [{ type: 'text', text: '1' }], isError: false },
    ])
  })

  it('may have roles in capital letters', () => {
    expect(chat({ messages: [{ role: 'User', content: 'Hi' }] })).toEqual(chat({}))
  })

  it.each([
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user', images: ['AAAA'] }] }, 'messages[0].images[0]'],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ function: {} }] }] },
      'messages[0].tool_calls[0].function.name',
    ],
    [{ tools: [{ type: 'web' }] }, 'tools[0].type'],
    [{ format: 'yaml' }, 'format'],
    [{ think: 'hard' }, 'think'],
    [{ options: { seed: 'a' } }, 'options.seed'],
    [{ options: { stop: 5 } }, 'options.stop'],
    [{ options: { stop: ['a', 5] } }, 'options.stop[1]'],
  ])('are refused for %j, by the field at fault', (more, param) => {
    expect(refusalOf(() => chat(more))).toBe(param)
  })

  it('are refused if they only load a model', () => {
    expect(refusalOf(() => generate({ prompt: '' }))).toBe('prompt')
  })
})
