import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import type { ErrorCode } from '../../canonical/error-table.ts'
import { createFailure } from '../../canonical/failure.ts'
import { createSeededRandom } from '../../kit/random/seeded-random.ts'
import type { Candidate } from '../candidate.ts'
import type { HealthChange } from './health-report.ts'
import { HealthTracker } from './health-tracker.ts'

const one = createCandidate()
const otherKey = createCandidate({ key: 'k2' })
const otherModel = createCandidate({ model: 'n' })

function openTracker() {
  const changes: HealthChange[] = []
  const tracker = new HealthTracker({
    random: createSeededRandom(1),
    onChange: (change) => changes.push(change),
  })
  const failAt = (atMs: number, code: ErrorCode = 'upstream_error', { candidate = one, tookMs = 10 } = {}) =>
    tracker.recordFailure(candidate, createFailure(code), { startedAtMs: atMs - tookMs, endedAtMs: atMs })
  const succeedAt = (atMs: number, candidate: Candidate = one) =>
    tracker.recordSuccess(candidate, { startedAtMs: atMs, endedAtMs: atMs })
  const typeAt = (atMs: number, candidate: Candidate = one) => tracker.stateOf(candidate, atMs).type
  return { tracker, changes, failAt, succeedAt, typeAt }
}

/** Fails five times, so that the breaker opens at 1000. */
function openTrippedTracker() {
  const opened = openTracker()
  for (let count = 0; count < 5; count += 1) opened.failAt(1_000)
  return opened
}

describe('the breaker', () => {
  it('stays open for one model when another open model recovers', () => {
    const { failAt, succeedAt, typeAt, tracker } = openTracker()
    for (const candidate of [one, otherModel]) {
      for (let count = 0; count < 5; count += 1) failAt(1_000, 'upstream_error', { candidate })
    }
    const probeAtMs = 60_000
    expect(tracker.acquireProbe(one, probeAtMs)).toBe(true)
    succeedAt(probeAtMs)
    expect(typeAt(probeAtMs)).toBe('closed')
    expect(typeAt(probeAtMs, otherModel)).not.toBe('closed')
  })

  it('opens for one credential and model after the channel’s number of failures, and not before', () => {
    const { failAt, typeAt } = openTracker()
    for (let count = 0; count < 4; count += 1) failAt(1_000)
    expect(typeAt(1_000)).toBe('closed')
    failAt(1_000)
    expect(typeAt(1_000)).toBe('open')
    expect(typeAt(1_000, otherKey)).toBe('closed')
    expect(typeAt(1_000, otherModel)).toBe('closed')
  })

  it('counts only failures within the window', () => {
    const { failAt, typeAt } = openTracker()
    for (let count = 0; count < 8; count += 1) failAt(1_000 + count * 3_000)
    expect(typeAt(22_000)).toBe('closed')
  })

  it('stays closed while fewer than one in ten calls fail', () => {
    const { failAt, succeedAt, typeAt } = openTracker()
    for (let count = 0; count < 50; count += 1) {
      for (let good = 0; good < 11; good += 1) succeedAt(count * 100)
      failAt(count * 100)
    }
    expect(typeAt(5_000)).toBe('closed')
  })

  it('leaves a target that still answers half of its calls as a last resort', () => {
    const { tracker, failAt, succeedAt } = openTracker()
    for (let count = 0; count < 10; count += 1) succeedAt(1_000)
    for (let count = 0; count < 5; count += 1) failAt(1_000)
    expect(tracker.stateOf(one, 1_000)).toMatchObject({ type: 'open', isDegraded: true })
    expect(openTrippedTracker().tracker.stateOf(one, 1_000)).toMatchObject({ isDegraded: false })
  })

  it('lets one request at a time probe the target, and closes when the probe succeeds', () => {
    const { tracker, changes, succeedAt, typeAt } = openTrippedTracker()
    expect(typeAt(6_000)).toBe('half-open-due')
    expect(tracker.acquireProbe(one, 6_000)).toBe(true)
    expect(tracker.acquireProbe(one, 6_000)).toBe(false)
    expect(tracker.stateOf(one, 6_000)).toMatchObject({ type: 'half-open' })
    succeedAt(6_100)
    expect(typeAt(6_100)).toBe('closed')
    expect(changes.map(({ to }) => to)).toEqual(['open', 'half-open', 'healthy'])
  })

  it('doubles its wait with each failed probe, up to 10 s when failures are quick', () => {
    const { tracker, failAt, typeAt } = openTrippedTracker()
    const waits: number[] = []
    for (let monotonicMs = 1_000, round = 0; round < 8; round += 1) {
      const state = tracker.stateOf(one, monotonicMs)
      if (state.type !== 'open') throw new Error('it is not open')
      waits.push(state.untilMs - monotonicMs)
      monotonicMs = state.untilMs
      expect(typeAt(monotonicMs)).toBe('half-open-due')
      tracker.acquireProbe(one, monotonicMs)
      failAt(monotonicMs + 10)
      monotonicMs += 10
    }
    expect(waits[0]).toBeLessThanOrEqual(5_000)
    expect(waits[0]).toBeGreaterThan(3_700)
    expect(Math.max(...waits)).toBeLessThanOrEqual(10_000)
    expect(Math.min(...waits.slice(2))).toBeGreaterThan(7_400)
  })

  it('probes more rarely when a failing probe delays its request', () => {
    const { tracker, failAt } = openTrippedTracker()
    let monotonicMs = 6_000
    for (let round = 0; round < 6; round += 1) {
      tracker.acquireProbe(one, monotonicMs)
      failAt(monotonicMs + 30_000, 'upstream_timeout', { candidate: one, tookMs: 30_000 })
      const state = tracker.stateOf(one, monotonicMs + 30_000)
      monotonicMs = state.type === 'open' ? state.untilMs : monotonicMs
    }
    const report = tracker.report(monotonicMs - 50_000)
    expect(report.find(({ scope }) => scope === 'model')?.waitMs).toBeGreaterThan(40_000)
  })

  it('ignores calls that began before it opened', () => {
    const { tracker, succeedAt, failAt, typeAt } = openTrippedTracker()
    tracker.recordSuccess(one, { startedAtMs: 500, endedAtMs: 7_000 })
    expect(typeAt(7_000)).toBe('half-open-due')
    succeedAt(7_000)
    for (let count = 0; count < 5; count += 1) {
      failAt(7_100, 'upstream_timeout', { candidate: one, tookMs: 7_000 })
    }
    expect(typeAt(7_100)).toBe('closed')
  })

  it('passes the probe on when its caller leaves or is at fault', () => {
    const { tracker, failAt } = openTrippedTracker()
    expect(tracker.acquireProbe(one, 6_000)).toBe(true)
    tracker.recordCancelled(one, 6_000)
    expect(tracker.acquireProbe(one, 6_001)).toBe(true)
    failAt(6_050, 'upstream_rejected')
    expect(tracker.acquireProbe(one, 6_100)).toBe(true)
  })

  it('ignores faults of the request', () => {
    const { failAt, typeAt } = openTracker()
    const codes = [
      'upstream_rejected',
      'context_length_exceeded',
      'content_policy_violation',
      'cannot_be_carried',
    ] as const
    for (const code of codes) for (let count = 0; count < 20; count += 1) failAt(1_000, code)
    expect(typeAt(1_000)).toBe('closed')
  })

  it('stays closed when it is disabled', () => {
    const { failAt, typeAt } = openTracker()
    const candidate = createCandidate({ breaker: undefined })
    for (let count = 0; count < 50; count += 1) failAt(1_000, 'upstream_error', { candidate, tookMs: 10 })
    expect(typeAt(1_000, candidate)).toBe('closed')
  })
})

describe.each(['a request', 'a check', 'another process'] as const)(
  'the state of a candidate, once %s has closed the only open breaker,',
  (closer) => {
    it('is known without looking the candidate up', () => {
      const { tracker, failAt, succeedAt } = openTracker()
      failAt(0, 'upstream_credential')
      // After the cooldown of every failure.
      const laterMs = 1e9
      let lookedUp = 0
      const watched: Candidate = {
        ...one,
        get target() {
          lookedUp += 1
          return one.target
        },
      }
      expect([tracker.stateOf(watched, 0).type, lookedUp > 0]).toEqual(['open', true])
      const span = { startedAtMs: 1, endedAtMs: 2 }
      if (closer === 'a request') succeedAt(laterMs)
      else if (closer === 'a check') tracker.recordCheck({ type: 'one-token', candidate: one }, span)
      else
        tracker.adoptClosed({ channel: 'c', scope: 'credential', credentialId: 'k1', upstreamModel: '' }, 2)
      lookedUp = 0
      expect([tracker.stateOf(watched, laterMs).type, lookedUp]).toEqual(['closed', 0])
    })
  },
)

describe('cooling', () => {
  it('shuts the whole channel after failed connections', () => {
    const { failAt, typeAt } = openTracker()
    for (let count = 0; count < 5; count += 1) failAt(1_000, 'upstream_unreachable')
    expect([typeAt(1_000), typeAt(1_000, otherKey), typeAt(1_000, otherModel)]).toEqual([
      'open',
      'open',
      'open',
    ])
    expect(typeAt(1_000, createCandidate({ name: 'elsewhere' }))).toBe('closed')
  })

  it('shuts a credential that is out of credit for ten minutes, for all models', () => {
    const { tracker, failAt, typeAt, changes } = openTracker()
    failAt(1_000, 'upstream_quota')
    expect(typeAt(600_999, otherModel)).toBe('open')
    expect(typeAt(1_000, otherKey)).toBe('closed')
    expect(typeAt(601_000, otherModel)).toBe('half-open-due')
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
    expect(tracker.report(2_000).map(({ scope, state, reason }) => [scope, state, reason])).toEqual([
      ['channel', 'healthy', undefined],
      ['credential', 'open', 'out-of-credit'],
      ['model', 'healthy', undefined],
    ])
  })

  it('applies a 403 to one model and a 401 to all of them', () => {
    const { tracker, typeAt } = openTracker()
    const refuse = (status: number) =>
      tracker.recordFailure(one, createFailure('upstream_credential', { upstream: { status } }), {
        startedAtMs: 0,
        endedAtMs: 0,
      })
    refuse(403)
    expect([typeAt(0), typeAt(0, otherModel)]).toEqual(['open', 'closed'])
    refuse(401)
    expect(typeAt(0, otherModel)).toBe('open')
  })

  it('backs off from 1 s when a rate limit names no time', () => {
    const { tracker, failAt } = openTracker()
    failAt(1_000, 'upstream_rate_limited')
    const state = tracker.stateOf(one, 1_000)
    expect(state).toMatchObject({ type: 'open', reason: 'rate-limited' })
    expect(tracker.stateOf(one, 2_000).type).toBe('half-open-due')
  })

  it('ends at once when the channel has another address or the key another secret', () => {
    const { failAt, typeAt } = openTracker()
    failAt(1_000, 'upstream_credential')
    expect(typeAt(1_000)).toBe('open')
    expect(typeAt(1_000, createCandidate({ secret: 'renewed-secret' }))).toBe('closed')
    expect(typeAt(1_000, createCandidate({ baseUrl: 'https://other.example.com/v1' }))).toBe('closed')
  })
})

describe('health restored after a restart', () => {
  it('shuts the same targets for the rest of their time', () => {
    const before = createFakeClock()
    const { tracker, failAt } = openTracker()
    failAt(0, 'upstream_quota')
    before.advance(60_000)
    const kept = JSON.parse(JSON.stringify(tracker.snapshot(before)))
    expect(JSON.stringify(kept)).not.toContain('secret-of-8')
    const after = createFakeClock(before.nowMs() + 40_000)
    const next = openTracker()
    next.tracker.restore(kept, after)
    expect(next.typeAt(0, otherModel)).toBe('open')
    expect(next.typeAt(499_999, otherModel)).toBe('open')
    expect(next.typeAt(500_000, otherModel)).toBe('half-open-due')
  })

  it('does not apply to a secret that was renewed meanwhile', () => {
    const clock = createFakeClock()
    const { tracker, failAt } = openTracker()
    failAt(0, 'upstream_credential')
    const next = openTracker()
    next.tracker.restore(tracker.snapshot(clock), clock)
    expect(next.typeAt(0, createCandidate({ secret: 'renewed-secret' }))).toBe('closed')
  })
})

describe('a model that is refused for one operation', () => {
  const vectors: Candidate = { ...one, operation: 'embedding' }
  const codes = ['upstream_model_missing', 'upstream_credential'] as const

  function refuse(
    { tracker, failAt }: ReturnType<typeof openTracker>,
    code: ErrorCode,
    atMs: number,
    candidate = vectors,
  ) {
    if (code === 'upstream_model_missing') failAt(atMs, code, { candidate })
    else {
      const failure = createFailure(code, { upstream: { status: 403 } })
      tracker.recordFailure(candidate, failure, { startedAtMs: atMs, endedAtMs: atMs })
    }
  }

  it.each(codes)('still serves its other operations after %s', (code) => {
    const opened = openTracker()
    refuse(opened, code, 1_000)
    expect(opened.typeAt(1_000, vectors)).toBe('open')
    expect(opened.typeAt(1_000)).toBe('closed')
    expect(opened.tracker.report(1_000).find(({ scope }) => scope === 'model')?.operations).toEqual([
      'embedding',
    ])
    refuse(opened, code, 2_000, one)
    expect(opened.typeAt(2_000, vectors)).toBe('open')
    expect(opened.typeAt(2_000)).toBe('open')
  })

  it('opens for all operations once it fails', () => {
    const opened = openTracker()
    refuse(opened, 'upstream_model_missing', 1_000)
    for (let count = 0; count < 5; count += 1) opened.failAt(1_500)
    expect(opened.typeAt(1_500, vectors)).toBe('open')
    expect(opened.typeAt(1_500, { ...one, operation: 'rerank' })).toBe('open')
    expect(opened.typeAt(1_500)).toBe('open')
  })

  it('is back in rotation with a success after the cooldown, and not earlier', () => {
    const { tracker, failAt, succeedAt, typeAt, changes } = openTracker()
    failAt(1_000, 'upstream_model_missing', { candidate: vectors })
    succeedAt(2_000)
    expect(typeAt(2_000, vectors)).toBe('open')
    expect(typeAt(70_000, vectors)).toBe('half-open-due')
    expect(tracker.acquireProbe(one, 70_000)).toBe(true)
    expect(typeAt(70_000, vectors)).toBe('half-open-due')
    succeedAt(70_000)
    expect(typeAt(70_000, vectors)).toBe('closed')
    expect(changes.map(({ to, operations }) => `${to} ${operations}`)).toEqual([
      'open embedding',
      'healthy embedding',
    ])
  })

  it('is stored only where it is refused for conversations', () => {
    const opened = openTracker()
    const clock = createFakeClock()
    refuse(opened, 'upstream_model_missing', 0)
    expect(opened.tracker.snapshot(clock).breakers).toEqual([])
    refuse(opened, 'upstream_model_missing', 0, one)
    const restored = openTracker()
    restored.tracker.restore(opened.tracker.snapshot(clock), clock)
    expect(restored.typeAt(0)).toBe('open')
    expect(restored.typeAt(0, vectors)).toBe('closed')
  })
})
