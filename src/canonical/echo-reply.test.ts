import fc from 'fast-check'
import { expect, it } from 'vitest'
import { replyArbitrary } from '../../test/support/canonical-arbitraries.ts'
import { echoReply, StreamEcho } from './echo-reply.ts'
import { foldReply } from './fold-reply.ts'
import { unfoldReply } from './unfold-reply.ts'

it('a prompt comes before the text of every choice', () => {
  const choices = [{ content: [{ type: 'text' as const, text: ' there.' }] }, { content: [] }]
  const reply = { id: 'i', model: 'm', choices }
  expect(echoReply(reply, 'Hello').choices).toEqual([
    { content: [{ type: 'text', text: 'Hello there.' }] },
    { content: [{ type: 'text', text: 'Hello' }] },
  ])
  expect(echoReply(reply, undefined)).toBe(reply)
})

it('the echo of a stream folds to the same reply as the echo of the folded stream', () => {
  fc.assert(
    fc.property(replyArbitrary(), (reply) => {
      const echo = new StreamEcho('Prompt')
      const events = unfoldReply(reply).flatMap((event) => echo.push(event))
      expect(foldReply(events)).toEqual(echoReply(reply, 'Prompt'))
    }),
    { numRuns: 2000 },
  )
})
