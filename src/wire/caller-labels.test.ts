import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../canonical/failure.ts'
import { tagName, tagValue } from '../canonical/tags.ts'
import { BodyBytes } from '../kit/json/body-bytes.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { CallerFormat } from './caller-format.ts'
import type { CallerLabels } from './caller-labels.ts'
import { chatFormat } from './chat/format.ts'
import { completionsFormat } from './completions/format.ts'
import { embeddingsFormat } from './embeddings/format.ts'
import { geminiFormat } from './gemini/format.ts'
import { countTokensFormat } from './messages/count-tokens/count-tokens-format.ts'
import { messagesFormat } from './messages/format.ts'
import { readTagsHeader } from './read-tags-header.ts'
import { responsesFormat } from './responses/format.ts'

const bodies = {
  chat: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  prompt: { model: 'm', prompt: 'Hi' },
  input: { model: 'm', input: 'Hi' },
  contents: { contents: [] },
}

function read(format: CallerFormat, body: JsonObject): CallerLabels {
  const scanned = format.scanRequest(BodyBytes.from([Buffer.from(JSON.stringify(body))]), {
    model: 'm',
    isStream: false,
  })
  return format.readCallerLabels(scanned)
}

describe('the customer of a request', () => {
  it.each([
    [chatFormat, { ...bodies.chat, user: 'ada' }, 'ada'],
    [chatFormat, { ...bodies.chat, user: 'ada', safety_identifier: 'hash-1' }, 'hash-1'],
    [chatFormat, { ...bodies.chat, user: 'ada', safety_identifier: null }, 'ada'],
    [completionsFormat, { ...bodies.prompt, user: 'ada' }, 'ada'],
    [responsesFormat, { ...bodies.input, safety_identifier: 'ada' }, 'ada'],
    [embeddingsFormat, { ...bodies.input, user: 'ada' }, 'ada'],
    [messagesFormat, { ...bodies.chat, metadata: { user_id: 'ada' } }, 'ada'],
    [countTokensFormat, { ...bodies.chat, metadata: { user_id: 'ada' } }, 'ada'],
    [geminiFormat, bodies.contents, undefined],
    [chatFormat, bodies.chat, undefined],
    [chatFormat, { ...bodies.chat, user: '' }, undefined],
    [chatFormat, { ...bodies.chat, user: { id: 'ada' } }, undefined],
    [chatFormat, { ...bodies.chat, user: 42 }, '42'],
  ] as const)('is read from %o', (format, body, endUser) => {
    expect(read(format, body).endUser).toBe(endUser)
  })

  it('is a valid tag value for any text, and only blank text is ignored', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (user) => {
        const { endUser } = read(chatFormat, { ...bodies.chat, user })
        if (endUser === undefined) expect(user.trim()).toBe('')
        else expect(endUser).toMatch(tagValue)
      }),
    )
  })

  it('is cut to 256 characters', () => {
    expect(read(chatFormat, { ...bodies.chat, user: 'x'.repeat(300) }).endUser).toBe('x'.repeat(256))
  })
})

describe('the tags in a body', () => {
  it.each([
    [
      chatFormat,
      { ...bodies.chat, metadata: { team: 'search', feature: 'chat' } },
      { team: 'search', feature: 'chat' },
    ],
    [responsesFormat, { ...bodies.input, metadata: { team: 'search' } }, { team: 'search' }],
    [geminiFormat, { ...bodies.contents, labels: { team: 'search' } }, { team: 'search' }],
    [messagesFormat, { ...bodies.chat, metadata: { user_id: 'ada' } }, {}],
    [chatFormat, { ...bodies.chat, metadata: null }, {}],
    [chatFormat, { ...bodies.chat, metadata: ['team'] }, {}],
  ] as const)('are those of %o', (format, body, tags) => {
    expect(read(format, body).tags).toEqual(tags)
  })

  it('are only those with valid names and values', () => {
    const metadata = {
      Team: 'a',
      'a b': 'c',
      team: 'x'.repeat(257),
      count: 3,
      ok: 'yes',
      empty: '',
      tab: 'a\tb',
    }
    expect(read(chatFormat, { ...bodies.chat, metadata }).tags).toEqual({ ok: 'yes' })
  })

  it('are at most 64', () => {
    const metadata = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`t${index}`, 'x']))
    expect(Object.keys(read(chatFormat, { ...bodies.chat, metadata }).tags)).toHaveLength(64)
  })
})

describe('the header of tags', () => {
  it.each([
    ['team=search', { team: 'search' }],
    [' team = search ,feature=chat, ', { team: 'search', feature: 'chat' }],
    ['formula=a=b', { formula: 'a=b' }],
    ['city=K%C3%B6ln%2C%20Nord', { city: 'Köln, Nord' }],
    ['', {}],
  ])('"%s" is read', (text, tags) => {
    expect(readTagsHeader(text)).toEqual(tags)
  })

  it.each([
    ['team', 'has an entry without "="'],
    ['=search', 'has a name'],
    ['Team=search', 'has a name'],
    [`${'x'.repeat(65)}=a`, 'has a name'],
    ['team=', 'has a value for "team"'],
    ['team=%zz', 'has a value for "team"'],
    ['team=%00', 'has a value for "team"'],
    [`team=${'x'.repeat(257)}`, 'has a value for "team"'],
    ['team=a,team=b', 'names "team" twice'],
    [Array.from({ length: 65 }, (_, index) => `t${index}=x`).join(), 'names more than 64 tags'],
  ])('"%s" is refused', (text, reason) => {
    expect(() => readTagsHeader(text)).toThrow(GatewayError)
    expect(() => readTagsHeader(text)).toThrow(reason)
  })

  it('reads back every list of tags written in percent-encoding', () => {
    const tags = fc.dictionary(fc.stringMatching(tagName), fc.stringMatching(tagValue), { maxKeys: 10 })
    fc.assert(
      fc.property(tags, (given) => {
        const text = Object.entries(given).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        expect(readTagsHeader(text.join(', '))).toEqual({ ...given })
      }),
    )
  })
})
