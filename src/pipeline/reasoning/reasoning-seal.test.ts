import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unpackReasoning } from '../../canonical/carried-reasoning.ts'
import { createReasoningSeal, type SealableReasoning } from './reasoning-seal.ts'

const seal = createReasoningSeal('a secret of the installation')
const channel = { name: 'primary', provider: 'anthropic', baseUrl: 'https://a.example' }
const scope = { keyId: 'key-1', account: seal.accountOf(channel) }
const thought: SealableReasoning = { type: 'thinking', text: 'Hm.', signature: 'c2ln' }

const reasoning: fc.Arbitrary<SealableReasoning> = fc.oneof(
  fc.record({
    type: fc.constant('thinking' as const),
    text: fc.string(),
    signature: fc.string({ minLength: 1 }),
  }),
  fc.record({ type: fc.constant('redacted-thinking' as const), data: fc.string({ minLength: 1 }) }),
  fc.record({
    type: fc.constant('thinking' as const),
    text: fc.string({ unit: 'grapheme' }),
    signature: fc.string({ minLength: 1 }),
    extras: fc.record({
      format: fc.constant('responses' as const),
      fields: fc.record({ id: fc.string() }),
    }),
  }),
)
const textOf = (block: SealableReasoning) => (block.type === 'thinking' ? block.text : '')

describe('a sealed signature', () => {
  it('opens to the reasoning that was sealed', () => {
    fc.assert(
      fc.property(reasoning, (block) => {
        expect(seal.open(seal.seal(block, scope), textOf(block), scope)).toEqual(block)
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not open with any character of it changed', () => {
    const signature = seal.seal(thought, scope)
    fc.assert(
      fc.property(fc.nat(signature.length - 1), fc.constantFrom('A', 'b', '0', '.', '-'), (at, letter) => {
        const changed = signature.slice(0, at) + letter + signature.slice(at + 1)
        fc.pre(changed !== signature)
        expect(seal.open(changed, 'Hm.', scope)).toBeUndefined()
      }),
    )
  })

  it.each([
    ['other words', 'Hm!', scope],
    ['another caller', 'Hm.', { ...scope, keyId: 'key-2' }],
    ['another account', 'Hm.', { ...scope, account: seal.accountOf({ ...channel, name: 'backup' }) }],
  ])('does not open for %s', (_what, text, other) => {
    expect(seal.open(seal.seal(thought, scope), text, other)).toBeUndefined()
  })

  it('does not open in an installation of another secret', () => {
    const other = createReasoningSeal('another secret')
    expect(other.open(seal.seal(thought, scope), 'Hm.', scope)).toBeUndefined()
    expect(
      createReasoningSeal('a secret of the installation').open(seal.seal(thought, scope), 'Hm.', scope),
    ).toEqual(thought)
  })

  it('never throws on any text in its place', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(seal.open(`~headgate.2.${text}`, '', scope)).toBeUndefined()
      }),
    )
  })

  it('stays unchanged in every format until the pipeline opens it', () => {
    const signature = seal.seal(thought, scope)
    expect(unpackReasoning(signature, 'Hm.')).toEqual({ type: 'thinking', text: 'Hm.', signature: signature })
    expect(signature).not.toContain(channel.name)
    // Words that a format keeps elsewhere are still waited for.
    expect(unpackReasoning(signature, '')).toEqual({ type: 'thinking', text: '', signature: signature })
    const hidden = seal.seal({ type: 'redacted-thinking', data: 'ZGF0YQ==' }, scope)
    expect(unpackReasoning(hidden, '')).toEqual({ type: 'redacted-thinking', data: hidden })
    expect(unpackReasoning('~headgate.2.', '')).toEqual({ type: 'redacted-thinking', data: '~headgate.2.' })
  })
})
