import { describe, expect, it } from 'vitest'
import type { HealthLine } from './health-report.ts'
import { type CheckInput, planCheck } from './plan-check.ts'

const unhealthy = (different: Partial<HealthLine>): HealthLine => ({
  channel: 'c',
  scope: 'credential',
  credentialId: 'c#1',
  upstreamModel: undefined,
  state: 'open',
  reason: 'refused',
  operations: undefined,
  forMs: 1,
  waitMs: 1,
  calls: 0,
  failures: 0,
  lastFailure: undefined,
  ...different,
})

const ofModel = (upstreamModel: string, different: Partial<HealthLine> = {}) =>
  unhealthy({ scope: 'model', upstreamModel, reason: 'failing', ...different })
const plan = (lines: readonly HealthLine[], different: Partial<CheckInput> = {}) =>
  planCheck({
    lines,
    channel: 'c',
    credentialId: 'c#1',
    hasList: true,
    listNeedsKey: true,
    mayGenerate: false,
    anyModels: ['any'],
    turn: 0,
    ...different,
  })

describe('a check', () => {
  it('is not made if all is healthy, or if another key or channel is unhealthy', () => {
    const others = [
      unhealthy({ state: 'healthy', reason: undefined }),
      unhealthy({ credentialId: 'c#2' }),
      unhealthy({ channel: 'd' }),
    ]
    expect(plan(others, { mayGenerate: true })).toBeUndefined()
  })

  it('requests the list when that shows whether a refused key is good again', () => {
    expect(plan([unhealthy({})])).toEqual({ type: 'list' })
    expect(plan([unhealthy({})], { listNeedsKey: false })).toBeUndefined()
    expect(plan([unhealthy({})], { hasList: false })).toBeUndefined()
  })

  it('requests a public list, too, when the channel could not be reached', () => {
    const channel = unhealthy({ scope: 'channel', credentialId: undefined, reason: 'unreachable' })
    expect(plan([channel], { listNeedsKey: false })).toEqual({ type: 'list' })
  })

  it('buys a token only if that is allowed and no cheaper check can decide', () => {
    const poor = unhealthy({ reason: 'out-of-credit' })
    expect(plan([poor])).toBeUndefined()
    expect(plan([poor], { mayGenerate: true })).toEqual({ type: 'one-token', upstreamModel: 'any' })
    expect(plan([unhealthy({})], { mayGenerate: true })).toEqual({ type: 'list' })
    expect(plan([ofModel('m')], { mayGenerate: true })).toEqual({ type: 'one-token', upstreamModel: 'm' })
    expect(plan([poor], { mayGenerate: true, anyModels: [] })).toBeUndefined()
  })

  it('gives every model its turn', () => {
    const lines = [ofModel('m'), ofModel('n')]
    const asked = [0, 1, 2].map((turn) => plan(lines, { mayGenerate: true, turn }))
    expect(asked).toMatchObject([{ upstreamModel: 'm' }, { upstreamModel: 'n' }, { upstreamModel: 'm' }])
  })

  it('of a whole credential gives every model of the channel its turn, since not each one may converse', () => {
    const poor = unhealthy({ reason: 'out-of-credit' })
    const anyModels = ['vectors', 'chat']
    const asked = [0, 1, 2].map((turn) => plan([poor], { mayGenerate: true, anyModels, turn }))
    expect(asked).toMatchObject(anyModels.concat('vectors').map((upstreamModel) => ({ upstreamModel })))
  })

  it('skips a rate limit, since its end is known', () => {
    expect(plan([ofModel('m', { reason: 'rate-limited' })], { mayGenerate: true })).toBeUndefined()
  })
})
