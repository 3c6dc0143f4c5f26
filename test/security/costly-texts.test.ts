import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'

/** Far more than these small requests cost on a slow machine, and far less than a search with a square or a power. */
const MAX_MS = 2_000

/** Processor time: other work of the machine does not count. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return process.cpuUsage(before).user / 1_000
}

it.each(['chat', 'responses', 'cohere'] as const)(
  'the text of a failed tool result, which often is a word of many parts, costs a %s channel no search without end',
  async (format) => {
    await using upstream = await openScriptedUpstream({ status: 400, headers: {} })
    await using gateway = await startGateway(channelYaml({ format, origin: upstream.origin, models: ['m'] }))
    const messagesOf = (content: string) => [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content }],
      },
    ]
    const send = (content: string) =>
      ask(
        { url: gateway.url, format: 'messages' },
        { model: 'm', max_tokens: 9, messages: messagesOf(content) },
      )
    expect(await costOf(() => send('my_'.repeat(30)))).toBeLessThan(MAX_MS)
    expect(upstream.requests.at(-1)?.body.toString()).toContain('Error: my_my_')
  },
)
