import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import type { ErrorCode } from '../../canonical/error-table.ts'
import { createFailure } from '../../canonical/failure.ts'
import { createSeededRandom } from '../../kit/values/seeded-random.ts'
import type { Candidate } from '../candidate.ts'
import type { HealthChange } from './health-report.ts'
import { HealthTracker } from './health-tracker.ts'

const one = createCandidate()
const otherKey = createCandidate({ key: 'k2' })
const otherModel = createCandidate({ model: 'n' })

function openBook() {
  const changes: HealthChange[] = []
  const book = new HealthTracker({
    random: createSeededRandom(1),
    onChange: (change) => changes.push(change),
  })
  const failAt = (atMs: number, code: ErrorCode = 'upstream_error', { candidate = one, tookMs = 10 } = {}) =>
    book.noteFailure(candidate, createFailure(code), { startedAtMs: atMs - tookMs, endedAtMs: atMs })
  const succeedAt = (atMs: number, candidate: Candidate = one) =>
    book.noteSuccess(candidate, { startedAtMs: atMs, endedAtMs: atMs })
  const typeAt = (atMs: number, candidate: Candidate = one) => book.stateOf(candidate, atMs).type
  return { book, changes, failAt, succeedAt, typeAt }
}

/** Fails five times, so that the breaker opens at 1000. */
function openBrokenBook() {
  const opened = openBook()
  for (let count = 0; count < 5; count += 1) opened.failAt(1_000)
  return opened
}

describe('the breaker', () => {
  it('keeps one model shut when another, shut as well, is well again', () => {
    const { failAt, succeedAt, typeAt, book } = openBook()
    for (const candidate of [one, otherModel]) {
      for (let count = 0; count < 5; count += 1) failAt(1_000, 'upstream_error', { candidate })
    }
    const probeAtMs = 60_000
    expect(book.takeProbe(one, probeAtMs)).toBe(true)
    succeedAt(probeAtMs)
    expect(typeAt(probeAtMs)).toBe('ready')
    expect(typeAt(probeAtMs, otherModel)).not.toBe('ready')
  })

  it('opens for one credential and model after as many failures as the channel says, and not before', () => {
    const { failAt, typeAt } = openBook()
    for (let count = 0; count < 4; count += 1) failAt(1_000)
    expect(typeAt(1_000)).toBe('ready')
    failAt(1_000)
    expect(typeAt(1_000)).toBe('shut')
    expect(typeAt(1_000, otherKey)).toBe('ready')
    expect(typeAt(1_000, otherModel)).toBe('ready')
  })

  it('counts only what lies within the window', () => {
    const { failAt, typeAt } = openBook()
    for (let count = 0; count < 8; count += 1) failAt(1_000 + count * 3_000)
    expect(typeAt(22_000)).toBe('ready')
  })

  it('stays closed where fewer than one in ten calls fail', () => {
    const { failAt, succeedAt, typeAt } = openBook()
    for (let count = 0; count < 50; count += 1) {
      for (let good = 0; good < 11; good += 1) succeedAt(count * 100)
      failAt(count * 100)
    }
    expect(typeAt(5_000)).toBe('ready')
  })

  it('keeps as a last resort what still answers half of its calls', () => {
    const { book, failAt, succeedAt } = openBook()
    for (let count = 0; count < 10; count += 1) succeedAt(1_000)
    for (let count = 0; count < 5; count += 1) failAt(1_000)
    expect(book.stateOf(one, 1_000)).toMatchObject({ type: 'shut', isLastResort: true })
    expect(openBrokenBook().book.stateOf(one, 1_000)).toMatchObject({ isLastResort: false })
  })

  it('lets one request at a time prove it well, and closes when that one succeeds', () => {
    const { book, succeedAt, typeAt } = openBrokenBook()
    expect(typeAt(6_000)).toBe('probe')
    expect(book.takeProbe(one, 6_000)).toBe(true)
    expect(book.takeProbe(one, 6_000)).toBe(false)
    expect(book.stateOf(one, 6_000)).toMatchObject({ type: 'shut', reason: 'probing', untilMs: undefined })
    succeedAt(6_100)
    expect(typeAt(6_100)).toBe('ready')
  })

  it('doubles its wait with each failed probe, up to 10 s where failing is quick', () => {
    const { book, failAt, typeAt } = openBrokenBook()
    const waits: number[] = []
    for (let nowMs = 1_000, round = 0; round < 8; round += 1) {
      const state = book.stateOf(one, nowMs)
      if (state.type !== 'shut' || state.untilMs === undefined) throw new Error('it is not shut')
      waits.push(state.untilMs - nowMs)
      nowMs = state.untilMs
      expect(typeAt(nowMs)).toBe('probe')
      book.takeProbe(one, nowMs)
      failAt(nowMs + 10)
      nowMs += 10
    }
    expect(waits[0]).toBeLessThanOrEqual(5_000)
    expect(waits[0]).toBeGreaterThan(3_700)
    expect(Math.max(...waits)).toBeLessThanOrEqual(10_000)
    expect(Math.min(...waits.slice(2))).toBeGreaterThan(7_400)
  })

  it('probes more rarely where a failing probe keeps its request waiting', () => {
    const { book, failAt } = openBrokenBook()
    let nowMs = 6_000
    for (let round = 0; round < 6; round += 1) {
      book.takeProbe(one, nowMs)
      failAt(nowMs + 30_000, 'upstream_timeout', { candidate: one, tookMs: 30_000 })
      const state = book.stateOf(one, nowMs + 30_000)
      nowMs = (state.type === 'shut' ? state.untilMs : undefined) ?? nowMs
    }
    const report = book.report(nowMs - 50_000)
    expect(report.find(({ scope }) => scope === 'model')?.waitMs).toBeGreaterThan(40_000)
  })

  it('is not moved by calls that began before it opened', () => {
    const { book, succeedAt, failAt, typeAt } = openBrokenBook()
    book.noteSuccess(one, { startedAtMs: 500, endedAtMs: 7_000 })
    expect(typeAt(7_000)).toBe('probe')
    succeedAt(7_000)
    for (let count = 0; count < 5; count += 1) {
      failAt(7_100, 'upstream_timeout', { candidate: one, tookMs: 7_000 })
    }
    expect(typeAt(7_100)).toBe('ready')
  })

  it('gives the probe on where its caller leaves or is itself at fault', () => {
    const { book, failAt } = openBrokenBook()
    expect(book.takeProbe(one, 6_000)).toBe(true)
    book.noteLeft(one, 6_000)
    expect(book.takeProbe(one, 6_001)).toBe(true)
    failAt(6_050, 'upstream_rejected')
    expect(book.takeProbe(one, 6_100)).toBe(true)
  })

  it('does not count what is the fault of the request', () => {
    const { failAt, typeAt } = openBook()
    const codes = [
      'upstream_rejected',
      'context_length_exceeded',
      'content_policy_violation',
      'cannot_be_carried',
    ] as const
    for (const code of codes) for (let count = 0; count < 20; count += 1) failAt(1_000, code)
    expect(typeAt(1_000)).toBe('ready')
  })

  it('stays closed where it is off', () => {
    const { failAt, typeAt } = openBook()
    const candidate = createCandidate({ breaker: undefined })
    for (let count = 0; count < 50; count += 1) failAt(1_000, 'upstream_error', { candidate, tookMs: 10 })
    expect(typeAt(1_000, candidate)).toBe('ready')
  })
})

describe('cooling', () => {
  it('shuts the whole channel after connections that could not be made', () => {
    const { failAt, typeAt } = openBook()
    for (let count = 0; count < 5; count += 1) failAt(1_000, 'upstream_unreachable')
    expect([typeAt(1_000), typeAt(1_000, otherKey), typeAt(1_000, otherModel)]).toEqual([
      'shut',
      'shut',
      'shut',
    ])
    expect(typeAt(1_000, createCandidate({ name: 'elsewhere' }))).toBe('ready')
  })

  it('leaves a credential that is out of credit alone for ten minutes, for all models', () => {
    const { book, failAt, typeAt, changes } = openBook()
    failAt(1_000, 'upstream_quota')
    expect(typeAt(600_999, otherModel)).toBe('shut')
    expect(typeAt(1_000, otherKey)).toBe('ready')
    expect(typeAt(601_000, otherModel)).toBe('probe')
    expect(changes).toEqual([
      {
        channel: 'c',
        scope: 'credential',
        credentialId: 'k1',
        upstreamModel: undefined,
        to: 'open',
        reason: 'out-of-credit',
        waitMs: 600_000,
        needsOperator: true,
      },
    ])
    expect(book.report(2_000).map(({ scope, state, reason }) => [scope, state, reason])).toEqual([
      ['channel', 'healthy', undefined],
      ['credential', 'open', 'out-of-credit'],
      ['model', 'healthy', undefined],
    ])
  })

  it('takes a 403 for one model and a 401 for all of them', () => {
    const { book, typeAt } = openBook()
    const refuse = (status: number) =>
      book.noteFailure(one, createFailure('upstream_credential', { upstream: { status } }), {
        startedAtMs: 0,
        endedAtMs: 0,
      })
    refuse(403)
    expect([typeAt(0), typeAt(0, otherModel)]).toEqual(['shut', 'ready'])
    refuse(401)
    expect(typeAt(0, otherModel)).toBe('shut')
  })

  it('backs off from 1 s where a rate limit names no time', () => {
    const { book, failAt } = openBook()
    failAt(1_000, 'upstream_rate_limited')
    const state = book.stateOf(one, 1_000)
    expect(state).toMatchObject({ type: 'shut', reason: 'rate-limited' })
    expect(book.stateOf(one, 2_000).type).toBe('probe')
  })

  it('is over at once where the channel has another address or the key another secret', () => {
    const { failAt, typeAt } = openBook()
    failAt(1_000, 'upstream_credential')
    expect(typeAt(1_000)).toBe('shut')
    expect(typeAt(1_000, createCandidate({ secret: 'renewed-secret' }))).toBe('ready')
    expect(typeAt(1_000, createCandidate({ baseUrl: 'https://other.example.com/v1' }))).toBe('ready')
  })
})

describe('what is kept over a restart', () => {
  it('shuts the same again for what is left of its time', () => {
    const before = createFakeClock()
    const { book, failAt } = openBook()
    failAt(0, 'upstream_quota')
    before.advance(60_000)
    const kept = JSON.parse(JSON.stringify(book.snapshot(before)))
    expect(JSON.stringify(kept)).not.toContain('secret-of-8')
    const after = createFakeClock(before.nowMs() + 40_000)
    const next = openBook()
    next.book.restore(kept, after)
    expect(next.typeAt(0, otherModel)).toBe('shut')
    expect(next.typeAt(499_999, otherModel)).toBe('shut')
    expect(next.typeAt(500_000, otherModel)).toBe('probe')
  })

  it('says nothing of a secret that was renewed meanwhile', () => {
    const clock = createFakeClock()
    const { book, failAt } = openBook()
    failAt(0, 'upstream_credential')
    const next = openBook()
    next.book.restore(book.snapshot(clock), clock)
    expect(next.typeAt(0, createCandidate({ secret: 'renewed-secret' }))).toBe('ready')
  })
})
