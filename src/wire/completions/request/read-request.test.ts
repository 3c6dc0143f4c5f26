import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../../canonical/failure.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { chatFormat } from '../../chat/format.ts'
import { defaultDialect } from '../../dialect.ts'
import { paramOf } from './possible-losses.ts'
import { readRequest, readRequests } from './read-request.ts'

const base = { model: 'm', prompt: 'Once upon a time' }
const turns = [{ role: 'user', content: [{ type: 'text', text: base.prompt }] }]

function refusal(body: JsonObject): readonly (string | undefined)[] {
  try {
    readRequests(body)
  } catch (error) {
    if (error instanceof GatewayError) return [error.failure.code, error.failure.param]
  }
  return ['taken']
}

describe('a prompt as a conversation', () => {
  it('is one user turn, with the caller’s text and nothing else', () => {
    expect(readRequest(base)).toEqual({ model: 'm', turns, stream: false })
  })

  it('has every setting that conversations have', () => {
    const body = {
      ...base,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 7,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      seed: 1,
      stop: ['.', '!'],
      n: 2,
      best_of: 2,
      logprobs: 3,
      logit_bias: { 50256: -100 },
      user: 'u',
    }
    expect(readRequest(body)).toEqual({
      model: 'm',
      turns,
      stream: true,
      maxOutputTokens: 7,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 1,
      stopSequences: ['.', '!'],
      choices: 2,
      logprobs: true,
      topLogprobs: 3,
      logitBias: { 50256: -100 },
      endUser: 'u',
    })
  })

  it('ignores null and the empty settings that frameworks send', () => {
    const nothing = { logprobs: null, seed: null, stop: null, suffix: null, suffix_id: null, logit_bias: {} }
    expect(readRequest({ ...base, ...nothing, best_of: 1, echo: false })).toEqual({
      model: 'm',
      turns,
      stream: false,
    })
  })

  it.each<[string, JsonValue, readonly string[]]>([
    ['a list of one', ['a'], ['a']],
    ['a list of several', ['a', 'b'], ['a', 'b']],
  ])('with %s is one conversation per text', (_name, prompt, expected) => {
    const texts = readRequests({ ...base, prompt }).map((request) => request.turns)
    expect(texts).toEqual(expected.map((text) => [{ role: 'user', content: [{ type: 'text', text }] }]))
  })

  it('echoes each prompt before its own answer', () => {
    const requests = readRequests({ ...base, prompt: ['a', 'b'], echo: true })
    expect(requests.map(({ echo, extras }) => [echo, extras])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
  })
})

describe('a field that a conversation cannot carry', () => {
  it.each<[JsonObject, string]>([
    [{ suffix: 'the end' }, 'suffix'],
    [{ best_of: 3 }, 'best_of'],
    [{ n: 2, best_of: 3 }, 'best_of'],
    [{ echo: true, logprobs: 0 }, 'echo'],
    [{ min_p: 0.1 }, 'min_p'],
  ])('%j is declared lost under the caller’s own name', (fields, param) => {
    const request = readRequest({ ...base, ...fields })
    const { losses } = chatFormat.writeRequest(request, { model: 'up', dialect: defaultDialect })
    expect(losses.map(paramOf)).toEqual([param])
    expect(request.echo).toBeUndefined()
  })

  it.each<[JsonObject, string, string]>([
    [{ prompt: null }, 'cannot_be_carried', 'prompt'],
    [{ prompt: '' }, 'cannot_be_carried', 'prompt'],
    [{ prompt: ['a', ''] }, 'cannot_be_carried', 'prompt'],
    [{ prompt: [1, 2, 3] }, 'cannot_be_carried', 'prompt'],
    [{ prompt: [[1, 2], [3]] }, 'cannot_be_carried', 'prompt'],
    [{ prompt: Array.from({ length: 129 }, () => 'a') }, 'cannot_be_carried', 'prompt'],
    [{ max_tokens: 0 }, 'cannot_be_carried', 'max_tokens'],
    [{ prompt: [] }, 'invalid_field', 'prompt'],
    [{ prompt: 7 }, 'invalid_field', 'prompt'],
    [{ prompt: { text: 'a' } }, 'invalid_field', 'prompt'],
    [{ prompt: ['a', { text: 'b' }] }, 'invalid_field', 'prompt[1]'],
    [{ n: 0 }, 'invalid_field', 'n'],
    [{ n: 3, best_of: 2 }, 'invalid_field', 'best_of'],
    [{ logprobs: true }, 'invalid_field', 'logprobs'],
    [{ max_tokens: -1 }, 'invalid_field', 'max_tokens'],
    [{ stop: [1] }, 'invalid_field', 'stop[0]'],
    [{ echo: 'yes' }, 'invalid_field', 'echo'],
    [{ suffix: 7 }, 'invalid_field', 'suffix'],
  ])('%j is refused with %s at %s', (fields, code, param) => {
    expect(refusal({ ...base, ...fields })).toEqual([code, param])
  })
})
