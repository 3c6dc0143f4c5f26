import { describe, expect, it } from 'vitest'
import { findSession } from './affinity.ts'

const bytes = (text: string) => Buffer.from(text)
const named = findSession({ headers: {}, promptCacheKey: 'session 1' })

describe('a conversation', () => {
  it('is known by a header before the body, and by the body before its prompt', () => {
    const body = { promptCacheKey: 'cache', userId: 'user', prefix: [bytes('system')] }
    const byHeader = (headers: Record<string, string | string[]>) => findSession({ headers, ...body })
    expect(byHeader({ 'x-session-affinity': 'session 1', 'x-session-id': 'other' })).toBe(named)
    expect(byHeader({ 'x-session-id': ['session 1'], 'x-claude-code-session-id': 'other' })).toBe(named)
    expect(byHeader({ 'x-claude-code-session-id': 'session 1' })).toBe(named)
    expect(findSession({ headers: { 'x-session-id': '' }, ...body, promptCacheKey: 'session 1' })).toBe(named)
    expect(findSession({ headers: {}, userId: 'session 1', prefix: body.prefix })).toBe(named)
  })

  it("is found in what Claude Code sends as the user's id, whatever else stands there", () => {
    const asJson = JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: 'session 1' })
    expect(findSession({ headers: {}, userId: asJson })).toBe(named)
    expect(findSession({ headers: {}, userId: 'user_0ab_account__session_session 1' })).toBe(named)
  })

  it('is otherwise known by the parts of its prompt that stay, each of them', () => {
    const system = bytes('s'.repeat(100_000))
    const ask = (...prefix: readonly Uint8Array[]) => findSession({ headers: {}, prefix })
    expect(ask(system, bytes('first question'))).toBe(ask(system, bytes('first question')))
    expect(ask(system, bytes('first question'))).not.toBe(ask(system, bytes('another question')))
    expect(ask(system, bytes('q'))).not.toBe(ask(bytes('s'.repeat(100_001)), bytes('q')))
  })

  it('is unknown where nothing tells it', () => {
    expect(findSession({ headers: {} })).toBeUndefined()
    expect(findSession({ headers: {}, prefix: [bytes('')] })).toBeUndefined()
  })
})
