import { describe, expect, it } from 'vitest'
import type { StreamRelay } from '../../src/pipeline/relay/stream-relay.ts'
import { createTranslatedRelay } from '../../src/pipeline/relay/translated-relay.ts'
import { createVerbatimRelay } from '../../src/pipeline/relay/verbatim-relay.ts'
import { completionsFormat } from '../../src/wire/completions/format.ts'
import { errorAtEnd, isTerminated } from '../support/ask.ts'
import { bodyFormatIds } from '../support/body-formats.ts'
import { formats, relayAll } from '../support/relays.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import { splitBytes } from '../support/scripted-upstream.ts'

function frame(text: string, reason: string | null = null): string {
  const choices = [{ text, index: 0, logprobs: null, finish_reason: reason }]
  const head = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm' }
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`
}

const usage = { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 }
const ownFrames = [
  frame('Grüße, '),
  frame('漢字 👩‍👩‍👧‍👦\n'),
  frame('', 'stop'),
  `data: ${JSON.stringify({ id: 'cmpl-1', model: 'm', choices: [], usage })}\n\n`,
  'data: [DONE]\n\n',
]

interface Subject {
  readonly name: string
  readonly bytes: Buffer
  /** Where the frame with the reason for the end has its JSON whole. */
  readonly finishEnd: number
  create(): StreamRelay
}

const own = Buffer.from(ownFrames.join(''))
const subjects: readonly Subject[] = [
  {
    name: 'with the endpoint',
    bytes: own,
    finishEnd: Buffer.byteLength(ownFrames.slice(0, 3).join('')) - 2,
    create: () => createVerbatimRelay(completionsFormat),
  },
  ...bodyFormatIds.map((format) => {
    const { bytes, finishAt } = sampleStreams[format]
    return {
      name: `of the ${format} format`,
      bytes,
      finishEnd: bytes.indexOf('\n\n', finishAt),
      create: () =>
        createTranslatedRelay({
          reader: formats[format].createStreamReader(),
          writer: completionsFormat.createStreamWriter({ streamUsage: true, requestId: 'r1' }),
          createdAtSeconds: 1,
          costOf: undefined,
        }),
    }
  }),
]

describe.each(subjects)('a stream of completions from a channel $name', ({ bytes, finishEnd, create }) => {
  const whole = relayAll(create(), [bytes])

  it('is the same for every split of its bytes', () => {
    expect(whole).toContain('漢字 👩‍👩‍👧‍👦')
    expect(isTerminated('chat', whole)).toBe(true)
    for (let at = 0; at <= bytes.length; at += 1) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
      expect(relayAll(create(), pieces), `parted at ${at}`).toBe(whole)
    }
    expect(relayAll(create(), splitBytes(bytes, 1))).toBe(whole)
  })

  it('never passes for a whole one if it is truncated before its finish reason', () => {
    for (let at = 0; at < finishEnd; at += 1) {
      const relay = create()
      const output = relayAll(relay, [bytes.subarray(0, at)])
      expect([relay.isComplete, isTerminated('chat', output)], `cut at ${at}`).toEqual([false, false])
      const failure = relay.failure ?? expect.fail(`cut at ${at}`)
      const ended = output + completionsFormat.writeErrorEvent(failure, 'r1')
      expect(errorAtEnd('chat', ended), `cut at ${at}`).toBeDefined()
    }
  })
})
