import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/kit/time/clock.ts'
import { openFaultUpstream } from '../upstream/open-fault-upstream.ts'

const words = (count: number) => Array.from({ length: count }, (_, index) => `word-${index + 1}`).join(' ')
const messages = [{ role: 'user' as const, content: 'Hello' }]
const parameters = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }

const open = () =>
  openFaultUpstream({ clock: systemClock, seed: 7, script: { answer: { words: 12, pace: '1ms' } } })

describe('the default answers of a fault upstream', () => {
  it('are valid chat completions for the OpenAI SDK, streaming or not', async () => {
    await using upstream = await open()
    const client = new OpenAI({ baseURL: `${upstream.origin}/v1`, apiKey: 'k', maxRetries: 0 })
    const whole = await client.chat.completions.create({ model: 'm', messages })
    expect(whole.choices[0]?.message.content).toBe(words(12))
    const stream = client.chat.completions.stream({
      model: 'm',
      messages,
      stream_options: { include_usage: true },
    })
    const final = await stream.finalChatCompletion()
    expect([final.choices[0]?.message.content, final.choices[0]?.finish_reason]).toEqual([words(12), 'stop'])
    expect(final.usage?.completion_tokens).toBe(12)
  })

  it('include tool calls, completions, embeddings and a model list for the same SDK', async () => {
    await using upstream = await open()
    const client = new OpenAI({ baseURL: `${upstream.origin}/v1`, apiKey: 'k', maxRetries: 0 })
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters } }]
    const stream = client.chat.completions.stream({ model: 'm', messages, tools, tool_choice: 'required' })
    const [call] = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls ?? []
    expect(call?.type === 'function' ? call.function : call).toMatchObject({
      name: 'look',
      arguments: '{"city":"demo"}',
    })
    const completion = await client.completions.create({ model: 'm', prompt: 'x' })
    expect(completion.choices[0]?.text).toBe(words(12))
    const embedding = await client.embeddings.create({ model: 'm', input: ['a', 'b'] })
    expect(embedding.data.map((each) => each.embedding)).toEqual([
      [1, 0, 0, 0, 0, 0, 0, 0],
      [0, 1, 0, 0, 0, 0, 0, 0],
    ])
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['fault-model'])
  })

  it('are valid messages for the Anthropic SDK, streaming or not, with tools, token counts and models', async () => {
    await using upstream = await open()
    const client = new Anthropic({ baseURL: upstream.origin, apiKey: 'k', maxRetries: 0 })
    const asked = { model: 'm', max_tokens: 100, messages }
    const whole = await client.messages.create(asked)
    expect(whole.content).toMatchObject([{ type: 'text', text: words(12) }])
    const streamed = await client.messages.stream(asked).finalMessage()
    expect([streamed.content[0], streamed.stop_reason]).toMatchObject([{ text: words(12) }, 'end_turn'])
    expect(streamed.usage).toMatchObject({ input_tokens: whole.usage.input_tokens, output_tokens: 12 })
    const tools = [{ name: 'look', input_schema: parameters }]
    const called = await client.messages
      .stream({ ...asked, tools, tool_choice: { type: 'any' } })
      .finalMessage()
    expect(called.content).toMatchObject([{ type: 'tool_use', name: 'look', input: { city: 'demo' } }])
    expect((await client.messages.countTokens({ model: 'm', messages })).input_tokens).toBeGreaterThan(0)
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['fault-model'])
  })
})
