import { describe, expect, it } from 'vitest'
import { findSessionByHints, type PromptPart } from './affinity.ts'

const part = (text: string): PromptPart => ({ head: Buffer.from(text), length: Buffer.byteLength(text) })
const named = findSessionByHints({ headers: {}, promptCacheKey: 'session 1' })

describe('a conversation', () => {
  it('is identified by a header before the body, and by the body before its prompt', () => {
    const body = { promptCacheKey: 'cache', userId: 'user', prefix: [part('system')] }
    const byHeader = (headers: Record<string, string | string[]>) => findSessionByHints({ headers, ...body })
    expect(byHeader({ 'x-session-affinity': 'session 1', 'x-session-id': 'other' })).toBe(named)
    expect(byHeader({ 'x-session-id': ['session 1'], 'x-claude-code-session-id': 'other' })).toBe(named)
    expect(byHeader({ 'x-claude-code-session-id': 'session 1' })).toBe(named)
    expect(
      findSessionByHints({ headers: { 'x-session-id': '' }, ...body, promptCacheKey: 'session 1' }),
    ).toBe(named)
    expect(findSessionByHints({ headers: {}, userId: 'session 1', prefix: body.prefix })).toBe(named)
  })

  it('is found in the user id that Claude Code sends, whatever else the id holds', () => {
    const asJson = JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: 'session 1' })
    expect(findSessionByHints({ headers: {}, userId: asJson })).toBe(named)
    expect(findSessionByHints({ headers: {}, userId: 'user_0ab_account__session_session 1' })).toBe(named)
  })

  it('is otherwise identified by each of the stable parts of its prompt', () => {
    const system = part('s'.repeat(100_000))
    const ask = (...prefix: readonly PromptPart[]) => findSessionByHints({ headers: {}, prefix })
    expect(ask(system, part('first question'))).toBe(ask(system, part('first question')))
    expect(ask(system, part('first question'))).not.toBe(ask(system, part('another question')))
    expect(ask(system, part('q'))).not.toBe(ask(part('s'.repeat(100_001)), part('q')))
  })

  it('is unknown when nothing identifies it', () => {
    expect(findSessionByHints({ headers: {} })).toBeUndefined()
    expect(findSessionByHints({ headers: {}, prefix: [part('')] })).toBeUndefined()
  })
})
