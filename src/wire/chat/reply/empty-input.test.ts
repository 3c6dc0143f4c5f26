import { expect, it } from 'vitest'
import type { AssistantBlock } from '../../../canonical/content.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import { createStreamWriter } from './stream-writer.ts'
import { writeReply } from './write-reply.ts'

const call = { type: 'tool-call', id: 'c1', name: 'save', kind: 'function', input: '{}' } as const
const second = { ...call, id: 'c2', name: 'look' } as const
const text = { type: 'text', text: 'Done.' } as const

/** The arguments of each call in order, whole and in the pieces of a stream, and the losses. */
function write(content: readonly AssistantBlock[], stopReason: StopReason, legacyCalls = false) {
  const reply = { id: 'i', model: 'm', choices: [{ content, stopReason }] }
  const writer = createStreamWriter({ streamUsage: false, requestId: 'r', legacyCalls })
  const stream = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  const whole = writeReply(reply, { legacyCalls })
  const find = (written: string) => [...written.matchAll(/"arguments":"([^"]*)"/g)].map(([, found]) => found)
  return {
    whole: find(JSON.stringify(whole.value)),
    stream: find(stream),
    losses: [whole.losses, writer.losses],
  }
}

const lost = { feature: 'tool-input', kind: 'dropped' }

it.each(['length', 'context-window', 'content-filter', 'refusal'] as const)(
  'a last call without any argument has an empty text in an answer that was cut off: %s',
  (reason) => {
    const { whole, stream, losses } = write([text, call], reason)
    expect([whole, stream]).toEqual([[''], ['']])
    for (const list of losses) expect(list).toContainEqual(lost)
  },
)

it.each(['tool-calls', 'end'] as const)(
  'a whole call without arguments has the empty object: %s',
  (reason) => {
    const { whole, stream, losses } = write([call], reason)
    expect([whole, stream]).toEqual([['{}'], ['', '{}']])
    for (const list of losses) expect(list).not.toContainEqual(lost)
  },
)

it('a call before other blocks is whole, even in an answer that was cut off', () => {
  expect(write([call, second], 'length')).toMatchObject({ whole: ['{}', ''], stream: ['', '{}', ''] })
  expect(write([call, text], 'length')).toMatchObject({ whole: ['{}'], stream: ['', '{}'] })
})

it('the same holds for the deprecated form of a call', () => {
  expect(write([call], 'length', true)).toMatchObject({ whole: [''], stream: [''] })
  expect(write([call, second], 'tool-calls', true)).toMatchObject({ whole: ['{}'], stream: ['', '{}'] })
})
