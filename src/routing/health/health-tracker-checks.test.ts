import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import type { ErrorCode } from '../../canonical/error-table.ts'
import { createFailure } from '../../canonical/failure.ts'
import { createSeededRandom } from '../../kit/random/seeded-random.ts'
import type { HealthChange } from './health-report.ts'
import { HealthTracker } from './health-tracker.ts'

const candidate = createCandidate()

function openTracker() {
  const changes: HealthChange[] = []
  const tracker = new HealthTracker({
    random: createSeededRandom(1),
    onChange: (change) => changes.push(change),
  })
  return {
    tracker,
    changes,
    failAt: (atMs: number, code: ErrorCode) =>
      tracker.recordFailure(candidate, createFailure(code), { startedAtMs: atMs - 1, endedAtMs: atMs }),
    typeAt: (atMs: number) => tracker.stateOf(candidate, atMs).type,
    list: (startedAtMs: number, endedAtMs: number, listNeedsKey = true) =>
      tracker.recordCheck({ type: 'list', candidate, listNeedsKey }, { startedAtMs, endedAtMs }),
    token: (startedAtMs: number, endedAtMs: number) =>
      tracker.recordCheck({ type: 'one-token', candidate }, { startedAtMs, endedAtMs }),
  }
}

describe('a successful model list', () => {
  it('lets one request try a refused key before its time, and restores nothing by itself', () => {
    const { tracker, failAt, typeAt, list } = openTracker()
    failAt(1_000, 'upstream_credential')
    expect(typeAt(5_000)).toBe('open')
    expect(list(4_000, 5_000)).toBe(true)
    expect(typeAt(5_000)).toBe('half-open-due')
    expect(tracker.acquireProbe(candidate, 5_000)).toBe(true)
    expect(tracker.acquireProbe(candidate, 5_000)).toBe(false)
    tracker.recordSuccess(candidate, { startedAtMs: 5_000, endedAtMs: 5_100 })
    expect(typeAt(5_100)).toBe('closed')
  })

  it('does not help a key that is refused again by the request that tried it', () => {
    const { tracker, failAt, typeAt, list } = openTracker()
    failAt(1_000, 'upstream_credential')
    list(4_000, 5_000)
    tracker.acquireProbe(candidate, 5_100)
    failAt(5_200, 'upstream_credential')
    expect(list(6_000, 6_100)).toBe(false)
    expect(typeAt(6_100)).toBe('open')
  })

  it('does not affect a fault that was found after the list was requested', () => {
    const { failAt, typeAt, list, token } = openTracker()
    failAt(1_000, 'upstream_credential')
    expect([list(900, 1_100), token(900, 1_100)]).toEqual([false, false])
    expect(typeAt(1_100)).toBe('open')
  })

  it('does not affect missing credit, nor a refused key if the list is public', () => {
    const poor = openTracker()
    poor.failAt(1_000, 'upstream_quota')
    expect(poor.list(2_000, 2_100)).toBe(false)
    const refused = openTracker()
    refused.failAt(1_000, 'upstream_credential')
    expect(refused.list(2_000, 2_100, false)).toBe(false)
  })
})

describe('an answer of one token', () => {
  it.each(['upstream_credential', 'upstream_quota', 'upstream_model_missing', 'upstream_tls'] as const)(
    'restores a target that %s shut, and reports that',
    (code) => {
      const { changes, failAt, typeAt, token } = openTracker()
      failAt(1_000, code)
      expect(token(2_000, 2_100)).toBe(true)
      expect(typeAt(2_100)).toBe('closed')
      expect(changes.map(({ to }) => to)).toEqual(['open', 'healthy'])
    },
  )

  it('does not end a rate limit, whose end is known', () => {
    const { failAt, typeAt, token } = openTracker()
    failAt(1_000, 'upstream_rate_limited')
    expect(token(1_100, 1_200)).toBe(false)
    expect(typeAt(1_200)).toBe('open')
  })

  it('changes nothing, and makes no record, for an unknown target', () => {
    const { tracker, token } = openTracker()
    expect(token(1_000, 1_100)).toBe(false)
    expect(tracker.report(1_100)).toEqual([])
  })
})
