import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { finalText, markPayload, writtenContent } from '../support/agent/agent-script.ts'
import { agentFormats } from '../support/agent/speech.ts'
import { openAgentUpstream } from '../support/agent-upstream.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { anthropicOf, openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user' as const, content: 'Read a and b, then write c.' }]
const files: Readonly<Record<string, string>> = { a: markPayload('alpha "1"'), b: markPayload('beta \\ 2') }
const expected = { path: 'c', content: writtenContent(['alpha "1"', 'beta \\ 2']) }

describe.each(agentFormats)('tools of the Anthropic SDK on a channel of the %s format', (format) => {
  async function openRun() {
    await using cleanup = new AsyncDisposableStack()
    const upstream = cleanup.use(await openAgentUpstream(format, { read: ['a', 'b'], write: 'c' }))
    const gateway = cleanup.use(
      await startGateway(channelYaml({ format, origin: upstream.origin, models: ['m'] })),
    )
    const client = new Anthropic({ baseURL: gateway.url, apiKey: testKey, maxRetries: 0 })
    const open = cleanup.move()
    return { upstream, client, [Symbol.asyncDispose]: () => open.disposeAsync() }
  }

  it('parallel calls return in any order, after thinking, with text beside them', async () => {
    await using run = await openRun()
    const params = {
      model: 'm',
      max_tokens: 4_000,
      thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
      tools: ['read', 'write'].map((name) => ({
        name,
        input_schema: {
          type: 'object' as const,
          properties: { path: { type: 'string' }, content: { type: 'string' } },
          required: ['path'],
        },
      })),
    }
    const first = await run.client.messages.stream({ ...params, messages }).finalMessage()
    expect(first.stop_reason).toBe('tool_use')
    const calls = first.content.filter((block) => block.type === 'tool_use')
    expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'read', input: { path: 'a' } },
      { name: 'read', input: { path: 'b' } },
    ])
    const results = calls.toReversed().map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: [{ type: 'text' as const, text: files[id === calls[0]?.id ? 'a' : 'b'] ?? '' }],
    }))
    const next = await run.client.messages.create({
      ...params,
      messages: [
        ...messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [...results, { type: 'text', text: 'Go on.' }] },
      ],
    })
    expect(next.content.find(({ type }) => type === 'tool_use')).toMatchObject({
      name: 'write',
      input: expected,
    })
    expect(run.upstream.exchanges.map(({ refusal }) => refusal)).toEqual([undefined, undefined])
  })

  it.each([false, true])(
    'complete a run of the tool runner, which falls back to requests without threads, streamed: %s',
    async (isStream) => {
      await using run = await openRun()
      const written: unknown[] = []
      const runner = run.client.beta.messages.toolRunner({
        model: 'm',
        max_tokens: 1_000,
        messages,
        tools: tools(written),
        stream: isStream,
      })
      const last = await runner
      expect(last.content).toMatchObject([{ type: 'text', text: finalText }])
      expect(written).toEqual([expected])
      const answered = run.upstream.exchanges.filter(({ status }) => status === 200)
      expect(answered.map(({ conversation }) => conversation?.rounds.length)).toEqual([0, 1, 2])
      // A chat channel is never asked; one of the messages format says itself that it holds no conversations.
      expect(run.upstream.exchanges).toHaveLength(format === 'chat' ? 3 : 4)
      for (const { request } of answered)
        expect(JSON.parse(String(request.body))).not.toHaveProperty('thread')
    },
  )
})

describe('a channel that stores conversations', () => {
  it('gets the thread field of the tool runner unchanged, with only the new messages', async () => {
    const reply = (id: string, more: object) =>
      jsonAnswer({
        id,
        type: 'message',
        role: 'assistant',
        model: 'm',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
        ...more,
      })
    const call = { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } }
    await using open = await openGateway({
      format: 'messages',
      scripts: [
        [
          reply('msg_held_1', { content: [call], stop_reason: 'tool_use' }),
          reply('msg_held_2', { content: [{ type: 'text', text: 'Read.' }], stop_reason: 'end_turn' }),
        ],
      ],
    })
    const last = await anthropicOf(open).beta.messages.toolRunner({
      model: 'm',
      max_tokens: 1_000,
      messages,
      tools: tools([]),
    })
    expect(last.content).toMatchObject([{ type: 'text', text: 'Read.' }])
    const [first, second] = open.upstreams[0]?.requests ?? []
    expect(first?.headers['anthropic-beta']).toContain('message-threads-')
    expect(JSON.parse(String(first?.body))).toMatchObject({ thread: { type: 'create' } })
    const continued = JSON.parse(String(second?.body))
    expect(continued.thread).toMatchObject({ type: 'continue', previous_message_id: 'msg_held_1' })
    expect(continued.messages).toMatchObject([{ content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] }])
    expect(continued).not.toHaveProperty('tools')
  })
})

function tools(written: unknown[]) {
  return [
    betaZodTool({
      name: 'read',
      description: 'Reads a file',
      inputSchema: z.object({ path: z.string() }),
      run: ({ path }) => files[path] ?? 'missing',
    }),
    betaZodTool({
      name: 'write',
      description: 'Writes a file',
      inputSchema: z.object({ path: z.string(), content: z.string() }),
      run: (input) => {
        written.push(input)
        return 'ok'
      },
    }),
  ]
}
