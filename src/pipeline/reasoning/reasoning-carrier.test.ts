import { describe, expect, it } from 'vitest'
import type { AssistantBlock, ThinkingBlock } from '../../canonical/content.ts'
import type { Turn } from '../../canonical/request.ts'
import { ReasoningCache } from './reasoning-cache.ts'
import { ReasoningCarrier } from './reasoning-carrier.ts'
import { createReasoningSeal } from './reasoning-seal.ts'

const seal = createReasoningSeal('a secret of the installation')
const accountOf = (name: string) => seal.accountOf({ name, provider: 'p', baseUrl: 'https://p.example' })

function open() {
  const state = { seal, cache: new ReasoningCache({ monotonicMs: () => 0 }) }
  const usual = { keyId: 'key', channel: 'first', wantsWords: false, dropsCallIds: false }
  return (turns: readonly Turn[], options: Partial<typeof usual> = {}) => {
    const { keyId, channel, ...soFar } = { ...usual, ...options }
    return new ReasoningCarrier(state, { keyId, account: accountOf(channel) }, { turns, ...soFar })
  }
}

const asked = (text: string): Turn => ({ role: 'user', content: [{ type: 'text', text }] })
const said = (...content: readonly AssistantBlock[]): Turn => ({ role: 'assistant', content })
const thought = (text: string): ThinkingBlock => ({ type: 'thinking', text, signature: `signed ${text}` })
const call = (input = '{"a":1}'): AssistantBlock => ({
  type: 'tool-call',
  id: 'call_0',
  name: 'f',
  kind: 'function',
  input,
})

describe('reasoning of a client that drops the IDs of calls', () => {
  const drops = { dropsCallIds: true }
  const named = (id: string): AssistantBlock => ({
    type: 'tool-call',
    id,
    name: 'f',
    kind: 'function',
    input: '{"a":1}',
  })
  const answered = (...ids: readonly string[]): Turn => ({
    role: 'tool',
    results: ids.map((callId) => ({ type: 'tool-result', callId, content: [], isError: false })),
  })
  const answer = [thought('of one'), named('own_1'), thought('of two'), named('own_2')]
  const returned = [said(named('call_1'), named('call_2')), answered('call_2', 'call_1')]

  it('is found by all words before it, and its calls and results have their IDs again', () => {
    const carry = open()
    carry([asked('one')], drops).keep(answer)
    expect(carry([asked('one'), ...returned], drops).openTurns(false).turns).toEqual([
      asked('one'),
      said(...answer),
      answered('own_2', 'own_1'),
    ])
  })

  it('is not found in another conversation, nor for a client that returns IDs', () => {
    const carry = open()
    carry([asked('zero'), asked('one')], drops).keep(answer)
    for (const [before, options] of [
      [asked('other'), drops],
      [asked('zero'), {}],
    ] as const) {
      const turns = [before, asked('one'), ...returned]
      expect(carry(turns, options).openTurns(false).turns).toEqual(turns)
    }
  })
})

describe('reasoning that is found by the calls beside it', () => {
  it('belongs to its own conversation, even if each conversation starts its call ids from the beginning', () => {
    const carry = open()
    carry([asked('one')]).keep([thought('of one'), call()])
    carry([asked('two')]).keep([thought('of two'), call()])
    const opened = carry([asked('one'), said(call())]).openTurns(false)
    expect(opened).toEqual({ turns: [asked('one'), said(thought('of one'), call())], losses: [] })
    expect(carry([asked('three'), said(call())]).openTurns(false).turns[1]).toEqual(said(call()))
  })

  it('is found when the arguments come back with other white space', () => {
    const carry = open()
    carry([asked('one')]).keep([thought('of one'), call('{ "a": 1 }')])
    expect(carry([asked('one'), said(call())]).openTurns(false).turns[1]).toEqual(
      said(thought('of one'), call()),
    )
  })

  it('replaces returned text without a proof', () => {
    const carry = open()
    carry([asked('one')]).keep([thought('of one'), call()])
    const words: AssistantBlock = { type: 'thinking', text: 'of one' }
    expect(carry([asked('one'), said(words, call())]).openTurns(false)).toEqual({
      turns: [asked('one'), said(thought('of one'), call())],
      losses: [],
    })
  })

  it('is declared lost when another account is called', () => {
    const carry = open()
    carry([asked('one')]).keep([thought('of one'), call()])
    const opened = carry([asked('one'), said(call())], { channel: 'second' }).openTurns(false)
    expect(opened.turns[1]).toEqual(said(call()))
    expect(opened.losses).toEqual([{ feature: 'thinking', kind: 'dropped' }])
  })

  it('is returned as text alone when the target wants it back', () => {
    const carry = open()
    const words: AssistantBlock = { type: 'thinking', text: 'of one' }
    const wantsWords = true
    carry([asked('one')], { wantsWords }).keep([words, call()])
    const returned = [asked('one'), said(call())]
    expect(carry(returned, { wantsWords }).openTurns(false)).toEqual({
      turns: [asked('one'), said(words, call())],
      losses: [],
    })
    expect(carry(returned).openTurns(false)).toEqual({ turns: returned, losses: [] })
    expect(carry(returned, { wantsWords, keyId: 'other' }).openTurns(false).turns).toEqual(returned)
    const other = carry(returned, { wantsWords, channel: 'second' }).openTurns(false)
    expect(other).toEqual({ turns: returned, losses: [{ feature: 'thinking', kind: 'dropped' }] })
  })

  it('leaves text as the client returned it', () => {
    const carry = open()
    const wantsWords = true
    carry([asked('one')], { wantsWords }).keep([{ type: 'thinking', text: 'of one' }, call()])
    const returned = [asked('one'), said({ type: 'thinking', text: 'shorter' }, call())]
    const opened = carry(returned, { wantsWords, channel: 'second' }).openTurns(false)
    expect(opened).toEqual({ turns: returned, losses: [] })
  })

  it('is not stored when the answer has no call or no proof', () => {
    const carry = open()
    carry([asked('one')]).keep([thought('of one'), { type: 'text', text: 'Hi' }])
    carry([asked('one')]).keep([{ type: 'thinking', text: 'of one' }, call()])
    expect(carry([asked('one'), said(call())]).openTurns(false).turns[1]).toEqual(said(call()))
  })
})

describe('reasoning that a client returns', () => {
  it('opens for the account that signed it, and is text alone or nothing for another', () => {
    const carry = open()
    const hidden: AssistantBlock = { type: 'redacted-thinking', data: 'ZGF0YQ==' }
    const content = [thought('Hm.'), hidden, { type: 'text', text: 'Hi' } as const]
    const reply = carry([asked('one')]).sealReply({ id: 'r', model: 'm', choices: [{ content }] })
    const returned = [asked('one'), said(...(reply.choices[0]?.content ?? []))]
    expect(carry(returned).openTurns(false)).toEqual({ turns: [asked('one'), said(...content)], losses: [] })
    const other = carry(returned, { channel: 'second' }).openTurns(false)
    expect(other.turns[1]).toEqual(said({ type: 'thinking', text: 'Hm.' }, { type: 'text', text: 'Hi' }))
    expect(other.losses).toEqual([
      { feature: 'thinking-signature', kind: 'dropped' },
      { feature: 'redacted-thinking', kind: 'dropped' },
    ])
  })

  it('stays in the channel’s form only when the channel speaks the caller’s format', () => {
    const turns = [asked('one'), said(thought('Hm.'), { type: 'text', text: 'Hi' })]
    const carry = open()
    expect(carry(turns).openTurns(true)).toEqual({ turns, losses: [] })
    expect(carry(turns).openTurns(false).losses).toEqual([{ feature: 'thinking-signature', kind: 'dropped' }])
  })
})
