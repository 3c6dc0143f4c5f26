import { expect, it } from 'vitest'
import { ask, dataOfEvent, splitEvents } from '../support/ask.ts'
import { openGateway } from '../support/open-gateway.ts'
import { sseAnswer } from '../support/scripted-upstream.ts'

const chunk = (more: object) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  ...more,
})
const frames = [
  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
  chunk({ choices: [{ index: 0, delta: { content: 'The sea.' }, finish_reason: null }] }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13, cost: 0.5 } }),
]

it('stream recovery adds nothing to a chat stream that its provider did not send', async () => {
  const answer = sseAnswer([
    ...frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`),
    'data: [DONE]\n\n',
  ])
  await using open = await openGateway({ scripts: [answer], more: 'recovery: { mid_stream: verified }\n' })
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  }
  const { body: stream } = await ask({ url: open.gateway.url, format: 'chat' }, body)
  const events = splitEvents(stream.toString())
  expect(events.at(-1)).toBe('data: [DONE]\n\n')
  expect(events.slice(0, -1).map(dataOfEvent)).toEqual(frames)
})
