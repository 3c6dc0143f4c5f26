import { describe, expect, it } from 'vitest'
import type { AssistantBlock } from '../../../canonical/content.ts'
import { createFailure } from '../../../canonical/failure.ts'
import type { Choice, Reply } from '../../../canonical/reply.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import { readReply } from './read-reply.ts'
import { createStreamWriter } from './stream-writer.ts'
import { writeReply } from './write-reply.ts'

const text: AssistantBlock = { type: 'text', text: 'Hello.' }

function replyOf(choice: Partial<Choice>, more: Partial<Reply> = {}): Reply {
  return { id: 'i', model: 'm', choices: [{ content: [text], stopReason: 'end', ...choice }], ...more }
}

function lossesOf(reply: Reply): readonly string[] {
  return writeReply(reply).losses.map(({ feature, kind, field }) =>
    field === undefined ? `${feature} ${kind}` : `${feature} ${kind} ${field}`,
  )
}

describe('an answer in the completions format', () => {
  it('has the texts of its choices in order', () => {
    const choices: Choice[] = [
      { content: [text], stopReason: 'end' },
      { content: [], stopReason: 'length' },
    ]
    expect(writeReply({ id: 'i', model: 'm', createdAtSeconds: 5, choices })).toEqual({
      value: {
        id: 'i',
        object: 'text_completion',
        created: 5,
        model: 'm',
        choices: [
          { text: 'Hello.', index: 0, logprobs: null, finish_reason: 'stop' },
          { text: '', index: 1, logprobs: null, finish_reason: 'length' },
        ],
      },
      losses: [],
    })
  })

  it.each<[string, AssistantBlock, string, string]>([
    ['thinking', { type: 'thinking', text: 'Hm.' }, 'Hello.', 'thinking dropped'],
    ['redacted thinking', { type: 'redacted-thinking', data: 'eA==' }, 'Hello.', 'redacted-thinking dropped'],
    [
      'a call',
      { type: 'tool-call', id: 'c', name: 'look', kind: 'function', input: '{}' },
      'Hello.',
      'foreign-block dropped tool-call',
    ],
    [
      'a block of one format',
      { type: 'opaque', format: 'messages', value: { type: 'mystery' } },
      'Hello.',
      'foreign-block dropped mystery',
    ],
    [
      'an image',
      { type: 'image', source: { type: 'url', url: 'https://a.example/b' } },
      'Hello.',
      'image dropped',
    ],
  ])('leaves out %s, and declares that', (_name, block, expected, loss) => {
    const reply = replyOf({ content: [block, text] })
    expect(writeReply(reply).value).toMatchObject({ choices: [{ text: expected }] })
    expect(lossesOf(reply)).toEqual([loss])
  })

  it.each<[string, AssistantBlock, string]>([
    ['speech', { type: 'audio', transcript: 'No.' }, 'audio approximated'],
  ])('has the text of %s, and declares that', (_name, block, loss) => {
    const reply = replyOf({ content: [block] })
    expect(writeReply(reply).value).toMatchObject({ choices: [{ text: 'No.' }] })
    expect(lossesOf(reply)).toEqual([loss])
  })

  it.each(['end', 'tool-calls', 'refusal', 'content-filter'] as const)(
    'ends with content_filter after the words of a refusal, which are text here, whole and streamed: %s',
    (stopReason) => {
      const reply = replyOf({ content: [{ type: 'refusal', text: 'No.' }], stopReason })
      expect(writeReply(reply).value).toMatchObject({
        choices: [{ text: 'No.', finish_reason: 'content_filter' }],
      })
      expect(lossesOf(reply)).toContain('refusal approximated')
      const writer = createStreamWriter({ streamUsage: false, requestId: 'r' })
      expect(unfoldReply(reply).map(writer.push).join('')).toContain('"finish_reason":"content_filter"')
    },
  )

  it('that is cut off within the words of a refusal ends with length', () => {
    const reply = replyOf({ content: [{ type: 'refusal', text: 'N' }], stopReason: 'length' })
    expect(writeReply(reply).value).toMatchObject({ choices: [{ finish_reason: 'length' }] })
  })

  it.each<[Partial<Choice>, string, readonly string[]]>([
    [{ stopReason: 'end' }, 'stop', []],
    [{ stopReason: 'length' }, 'length', []],
    [{ stopReason: 'content-filter' }, 'content_filter', []],
    [{ stopReason: 'tool-calls' }, 'stop', ['stop-reason approximated']],
    [{ stopReason: 'refusal' }, 'content_filter', ['stop-reason approximated']],
    [{ stopReason: 'context-window' }, 'length', ['stop-reason approximated']],
    [{ stopReason: 'stop-sequence', stopSequence: '.' }, 'stop', ['stop-reason approximated']],
  ])('with %j has the finish reason %s', (choice, word, losses) => {
    const reply = replyOf(choice)
    expect(writeReply(reply).value).toMatchObject({ choices: [{ finish_reason: word }] })
    expect(lossesOf(reply)).toEqual(losses)
  })

  it('has log probabilities as parallel lists', () => {
    const entry = (token: string, logprob: number) => ({
      token,
      logprob,
      bytes: [1],
      top_logprobs: [
        { token, logprob, bytes: null },
        { token: '__proto__', logprob: -9, bytes: null },
      ],
    })
    const reply = replyOf({ logprobs: { content: [entry('👩 He', -0.5), entry('llo.', -1), 'odd'] } })
    const { choices } = JSON.parse(JSON.stringify(writeReply(reply).value))
    expect(choices[0].logprobs).toEqual({
      tokens: ['👩 He', 'llo.', ''],
      token_logprobs: [-0.5, -1, null],
      top_logprobs: [
        Object.fromEntries([
          ['👩 He', -0.5],
          ['__proto__', -9],
        ]),
        Object.fromEntries([
          ['llo.', -1],
          ['__proto__', -9],
        ]),
        null,
      ],
      text_offset: [0, 4, 8],
    })
    expect(lossesOf(reply)).toEqual(['logprobs approximated'])
  })

  it('has the fingerprint of the chat format, and declares its other fields as lost', () => {
    const extras = { format: 'chat', fields: { system_fingerprint: 'fp', moderation: {} } } as const
    const reply = replyOf({}, { extras, serviceTier: 'flex' })
    expect(writeReply(reply).value).toMatchObject({ system_fingerprint: 'fp' })
    expect(lossesOf(reply)).toEqual(['service-tier dropped', 'foreign-field dropped moderation'])
  })
})

describe('a stream in the completions format', () => {
  const reply = replyOf({ logprobs: { content: [{ token: 'Hello.', logprob: -1, top_logprobs: [] }] } })
  const framesOf = (streamUsage: boolean, more: Partial<Reply> = {}) => {
    const writer = createStreamWriter({ streamUsage, requestId: 'r1' })
    const events = unfoldReply({ ...reply, createdAtSeconds: 5, ...more })
    return events.map((event) => writer.push(event)).join('')
  }
  const head = { id: 'i', object: 'text_completion', created: 5, model: 'm' }
  const frame = (choice: object | undefined, more: object = {}) => {
    const plain = { text: '', index: 0, logprobs: null, finish_reason: null }
    const choices = choice === undefined ? [] : [{ ...plain, ...choice }]
    return `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`
  }
  const logprobs = { tokens: ['Hello.'], token_logprobs: [-1], top_logprobs: [{}], text_offset: [0] }

  it('has text, log probabilities and the finish reason, then ends', () => {
    const pieces = [frame({ text: 'Hello.' }), frame({ logprobs }), frame({ finish_reason: 'stop' })]
    expect(framesOf(false)).toBe(`${pieces.join('')}data: [DONE]\n\n`)
  })

  it('has usage in a chunk without choices for callers that requested it', () => {
    const frames = framesOf(true).split('\n\n')
    expect(frames.at(0)).toContain('"usage":null')
    expect(frames).toHaveLength(5)
  })

  it('has an id of its own when the upstream gave none', () => {
    expect(framesOf(false, { id: '' })).toContain('"id":"cmpl-r1"')
  })

  it('has the provider’s own fields in every chunk, and those of usage beside the counts', () => {
    const body = {
      id: 'i',
      model: 'm',
      choices: [{ text: 'Hello.', index: 0, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, queue_time: 0.5 },
      system_fingerprint: 'fp',
    }
    const read = readReply(body)
    if (!('choices' in read)) throw new Error('no answer was read')
    expect(writeReply(read).value).toMatchObject({ usage: body.usage, system_fingerprint: 'fp' })
    const frames = framesOf(true, read).split('\n\n').slice(0, -2)
    const chunks = frames.map((each) => JSON.parse(each.slice('data: '.length)))
    expect(chunks.map(({ system_fingerprint }) => system_fingerprint)).toEqual(['fp', 'fp', 'fp'])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: body.usage })
  })

  it('ends a failed answer with its error alone', () => {
    const writer = createStreamWriter({ streamUsage: false, requestId: 'r1' })
    const output = writer.push({
      type: 'failure',
      failure: createFailure('upstream_error', { message: 'x' }),
    })
    expect(JSON.parse(output.slice('data: '.length))).toMatchObject({ error: { code: 'upstream_error' } })
  })
})
