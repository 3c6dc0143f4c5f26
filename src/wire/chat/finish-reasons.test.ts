import { describe, expect, it } from 'vitest'
import type { AssistantBlock } from '../../canonical/content.ts'
import { isFailure } from '../../canonical/failure.ts'
import type { Reply, StopReason } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { responsesFormat } from '../responses/format.ts'
import { chatFormat } from './format.ts'

const call: AssistantBlock = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' }

/** The finish reasons for callers, of the whole answer and of its stream, with their losses. */
function reasonsOf(reply: Reply) {
  const whole = chatFormat.writeReply(reply)
  const writer = chatFormat.createStreamWriter({ streamUsage: false, requestId: 'r' })
  const text = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  const frames = createSseParser().push(Buffer.from(text))
  const streamed = frames.flatMap(({ data = '' }) => /"finish_reason":"(\w+)"/.exec(data)?.[1] ?? [])
  const written = /"finish_reason":"(\w+)"/.exec(JSON.stringify(whole.value))?.[1]
  return { words: [written, ...streamed], losses: [whole.losses, writer.losses] }
}

function replyOf(content: readonly AssistantBlock[], stopReason: StopReason): Reply {
  return { id: 'r', model: 'm', choices: [{ content, stopReason }] }
}

describe('the finish reason for callers of the chat format', () => {
  it('is tool_calls for an answer that ends normally after a call, since agents then run the tool', () => {
    const { words, losses } = reasonsOf(replyOf([call], 'end'))
    expect(words).toEqual(['tool_calls', 'tool_calls'])
    for (const each of losses) expect(each).toContainEqual({ feature: 'stop-reason', kind: 'approximated' })
  })

  it.each([
    ['length', 'length'],
    ['content-filter', 'content_filter'],
    ['refusal', 'content_filter'],
  ] as const)('says of an answer with a call that ends by %s that it was cut off', (reason, word) => {
    expect(reasonsOf(replyOf([call], reason)).words).toEqual([word, word])
  })

  it('is stop for a refusal in words, since the official client throws these words away on content_filter', () => {
    const part = { type: 'refusal', refusal: 'I cannot help with that.' }
    const message = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [part] }
    const body = { id: 'r', object: 'response', created_at: 1, status: 'completed', model: 'm' }
    const reply = responsesFormat.readReply({ ...body, output: [message] })
    if (isFailure(reply)) throw new Error(reply.message)
    const { words, losses } = reasonsOf(reply)
    expect(words).toEqual(['stop', 'stop'])
    for (const each of losses) expect(each).toContainEqual({ feature: 'stop-reason', kind: 'approximated' })
  })

  it('is content_filter where the provider cuts an answer off without words of a refusal', () => {
    const text: AssistantBlock = { type: 'text', text: 'First, ' }
    expect(reasonsOf(replyOf([text], 'refusal')).words).toEqual(['content_filter', 'content_filter'])
  })
})

describe('the finish reason of a server', () => {
  it.each(['repetition', 'time_limit', 'cancelled'])(
    '%s says that the answer was cut off',
    (finish_reason) => {
      const message = { role: 'assistant', content: 'First, ' }
      const reply = chatFormat.readReply({
        id: 'r',
        model: 'm',
        choices: [{ index: 0, message, finish_reason }],
      })
      expect(reply).toMatchObject({ choices: [{ stopReason: 'length' }] })
    },
  )
})
