import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ReasoningCache } from './reasoning-cache.ts'
import type { ReasoningLayout } from './reasoning-layout.ts'

const layoutOf = (bytes: number): ReasoningLayout => ({ pieces: [], callIds: [], bytes, isSigned: true })
const limits = { lifetimeMs: 1_000, bytesOfKey: 2_000, bytesInAll: 5_000 }

function open() {
  let nowMs = 0
  const kept = new ReasoningCache({ monotonicMs: () => nowMs }, limits)
  return {
    kept,
    wait: (ms: number) => {
      nowMs += ms
    },
    keep: (keyId: string, callId: string, bytes = 196) =>
      kept.keep({ keyId, callId, fingerprint: 1 }, { account: 'a', layout: layoutOf(bytes) }),
    finds: (keyId: string, callId: string, fingerprint = 1) =>
      kept.find({ keyId, callId, fingerprint }) !== undefined,
  }
}

describe('cached reasoning', () => {
  it('is found by its key, call and mark alone', () => {
    const { keep, finds } = open()
    keep('one', 'c1')
    expect([finds('one', 'c1'), finds('two', 'c1'), finds('one', 'c2'), finds('one', 'c1', 2)]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('is charged for the length of the provider’s call id, and is not stored under an oversized id', () => {
    const { kept, keep, finds } = open()
    keep('one', 'c')
    const bytes = kept.bytes
    keep('one', `c${'x'.repeat(300)}`)
    expect(kept.bytes - bytes).toBeGreaterThanOrEqual(bytes + 300)
    const longest = 'x'.repeat(512)
    keep('two', longest, 0)
    keep('two', `${longest}x`, 0)
    expect([finds('two', longest), finds('two', `${longest}x`)]).toEqual([true, false])
  })

  it('expires after its lifetime without use', () => {
    const { kept, keep, finds, wait } = open()
    keep('one', 'c1')
    wait(900)
    expect(finds('one', 'c1')).toBe(true)
    wait(900)
    expect(finds('one', 'c1')).toBe(true)
    wait(1_001)
    expect(finds('one', 'c1')).toBe(false)
    expect(kept.bytes).toBe(0)
  })

  it('is evicted for newer reasoning of the same key, the least recently used first', () => {
    const { keep, finds } = open()
    for (const id of ['c1', 'c2', 'c3', 'c4']) keep('one', id)
    expect(finds('one', 'c1')).toBe(true)
    keep('one', 'c5')
    expect(['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => finds('one', id))).toEqual([
      true,
      false,
      true,
      true,
      true,
    ])
  })

  it('is evicted for other keys only when the cache is full, from the least recently used key first', () => {
    const { keep, finds } = open()
    for (const key of ['one', 'two']) for (const id of ['c1', 'c2', 'c3', 'c4']) keep(key, id)
    for (const id of ['c1', 'c2']) keep('three', id)
    expect(['c1', 'c2', 'c3', 'c4'].map((id) => finds('two', id))).toEqual([true, true, true, true])
    keep('three', 'c3')
    expect([finds('one', 'c1'), finds('one', 'c2'), finds('three', 'c1')]).toEqual([false, true, true])
  })

  it('is not stored when it exceeds the share of a key', () => {
    const { kept, keep, finds } = open()
    keep('one', 'c1', 2_000)
    expect([finds('one', 'c1'), kept.bytes]).toEqual([false, 0])
  })

  it('never exceeds its limits, under any sequence of events', () => {
    const step = fc.record({
      keyId: fc.constantFrom('one', 'two', 'three', 'four'),
      callId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      bytes: fc.nat(2_500),
      waitMs: fc.nat(400),
      isFind: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { kept, keep, finds, wait } = open()
        for (const { keyId, callId, bytes, waitMs, isFind } of steps) {
          wait(waitMs)
          if (isFind) finds(keyId, callId)
          else keep(keyId, callId, bytes)
          expect(kept.bytes).toBeLessThanOrEqual(limits.bytesInAll)
          expect(kept.bytes).toBeGreaterThanOrEqual(0)
        }
        wait(limits.lifetimeMs + 1)
        keep('one', 'last', 10)
        expect(kept.bytes).toBe(318)
      }),
      { numRuns: 500 },
    )
  })
})
