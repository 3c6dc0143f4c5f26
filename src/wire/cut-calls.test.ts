import { describe, expect, it } from 'vitest'
import type { AssistantBlock } from '../canonical/content.ts'
import type { Reply, StopReason } from '../canonical/reply.ts'
import type { ReplyEvent } from '../canonical/reply-event.ts'
import { unfoldReply } from '../canonical/unfold-reply.ts'
import { geminiFormat } from './gemini/format.ts'
import { ollamaChatFormat } from './ollama/format.ts'

const first: AssistantBlock = { type: 'tool-call', id: 'a', name: 'list', kind: 'function', input: '' }
const last: AssistantBlock = { type: 'tool-call', id: 'b', name: 'remove', kind: 'function', input: '' }

function replyOf(content: readonly AssistantBlock[], stopReason: StopReason): Reply {
  return { id: 'r', model: 'm', choices: [{ content, stopReason }] }
}

/** The events of a chat channel, in which all calls stay open until the choice ends. */
function withLateEnds(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
  const ends = events.filter(({ type }) => type === 'block-end')
  return events.flatMap((event) => {
    if (event.type === 'choice-end') return [...ends, event]
    return event.type === 'block-end' ? [] : [event]
  })
}

describe.each([geminiFormat, ollamaChatFormat])(
  'an answer for callers of $id that ends before the first argument of its last call',
  (format) => {
    const dropped = { feature: 'tool-input', kind: 'dropped' }

    function write(events: readonly ReplyEvent[]) {
      const writer = format.createStreamWriter({ streamUsage: true, requestId: 'r' })
      return { text: events.map((event) => writer.push(event)).join(''), losses: writer.losses }
    }

    function writeAll(reply: Reply) {
      const whole = format.writeReply(reply)
      return [
        { text: JSON.stringify(whole.value), losses: whole.losses },
        write(unfoldReply(reply)),
        write(withLateEnds(unfoldReply(reply))),
      ]
    }

    const inputs = ['', '{}', ' { } ']

    it.each(['length', 'context-window', 'content-filter', 'refusal'] as const)(
      'leaves that call out where it was cut off (%s), since clients run each call',
      (stopReason) => {
        for (const input of inputs) {
          for (const { text, losses } of writeAll(replyOf([first, { ...last, input }], stopReason))) {
            expect(text).toContain('"list"')
            expect(text).not.toContain('"remove"')
            expect(losses).toContainEqual(dropped)
          }
        }
      },
    )

    it.each(['tool-calls', 'end'] as const)(
      'contains that call without arguments where it is whole (%s)',
      (stopReason) => {
        for (const input of inputs) {
          for (const { text, losses } of writeAll(replyOf([first, { ...last, input }], stopReason))) {
            expect(text).toContain('"list"')
            expect(text).toContain('"remove"')
            expect(losses).not.toContainEqual(dropped)
          }
        }
      },
    )

    it('contains a cut call whose input is whole', () => {
      for (const { text, losses } of writeAll(replyOf([first, { ...last, input: '{"x":1}' }], 'length'))) {
        expect(text).toContain('"list"')
        expect(text).toContain('{"x":1}')
        expect(losses).not.toContainEqual(dropped)
      }
    })
  },
)
