import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../test/support/create-candidate.ts'
import type { ErrorCode } from '../canonical/error-table.ts'
import { createFailure } from '../canonical/failure.ts'
import { createSeededRandom } from '../kit/values/seeded-random.ts'
import type { HealthChange } from './health/health-report.ts'
import { HealthTracker } from './health/health-tracker.ts'

const candidate = createCandidate()

function openBook() {
  const changes: HealthChange[] = []
  const book = new HealthTracker({
    random: createSeededRandom(1),
    onChange: (change) => changes.push(change),
  })
  return {
    book,
    changes,
    failAt: (atMs: number, code: ErrorCode) =>
      book.noteFailure(candidate, createFailure(code), { startedAtMs: atMs - 1, endedAtMs: atMs }),
    typeAt: (atMs: number) => book.stateOf(candidate, atMs).type,
    list: (startedAtMs: number, endedAtMs: number, listNeedsKey = true) =>
      book.noteCheck({ type: 'list', candidate, listNeedsKey }, { startedAtMs, endedAtMs }),
    token: (startedAtMs: number, endedAtMs: number) =>
      book.noteCheck({ type: 'one-token', candidate }, { startedAtMs, endedAtMs }),
  }
}

describe('a list that was told', () => {
  it('lets one request try a refused key before its time, and brings nothing back by itself', () => {
    const { book, failAt, typeAt, list } = openBook()
    failAt(1_000, 'upstream_credential')
    expect(typeAt(5_000)).toBe('shut')
    expect(list(4_000, 5_000)).toBe(true)
    expect(typeAt(5_000)).toBe('probe')
    expect(book.takeProbe(candidate, 5_000)).toBe(true)
    expect(book.takeProbe(candidate, 5_000)).toBe(false)
    book.noteSuccess(candidate, { startedAtMs: 5_000, endedAtMs: 5_100 })
    expect(typeAt(5_100)).toBe('ready')
  })

  it('helps no key that is refused again by the request that tried it', () => {
    const { book, failAt, typeAt, list } = openBook()
    failAt(1_000, 'upstream_credential')
    list(4_000, 5_000)
    book.takeProbe(candidate, 5_100)
    failAt(5_200, 'upstream_credential')
    expect(list(6_000, 6_100)).toBe(false)
    expect(typeAt(6_100)).toBe('shut')
  })

  it('says nothing of what was found bad since it was asked for', () => {
    const { failAt, typeAt, list, token } = openBook()
    failAt(1_000, 'upstream_credential')
    expect([list(900, 1_100), token(900, 1_100)]).toEqual([false, false])
    expect(typeAt(1_100)).toBe('shut')
  })

  it('says nothing of credit, nor of a key where it is public', () => {
    const poor = openBook()
    poor.failAt(1_000, 'upstream_quota')
    expect(poor.list(2_000, 2_100)).toBe(false)
    const refused = openBook()
    refused.failAt(1_000, 'upstream_credential')
    expect(refused.list(2_000, 2_100, false)).toBe(false)
  })
})

describe('an answer of one token', () => {
  it.each(['upstream_credential', 'upstream_quota', 'upstream_model_missing', 'upstream_tls'] as const)(
    'brings back what %s shut, and tells so',
    (code) => {
      const { changes, failAt, typeAt, token } = openBook()
      failAt(1_000, code)
      expect(token(2_000, 2_100)).toBe(true)
      expect(typeAt(2_100)).toBe('ready')
      expect(changes.map(({ to }) => to)).toEqual(['open', 'healthy'])
    },
  )

  it('ends no limit of a rate, whose end is known', () => {
    const { failAt, typeAt, token } = openBook()
    failAt(1_000, 'upstream_rate_limited')
    expect(token(1_100, 1_200)).toBe(false)
    expect(typeAt(1_200)).toBe('shut')
  })

  it('changes nothing, and makes no record, where nothing is known', () => {
    const { book, token } = openBook()
    expect(token(1_000, 1_100)).toBe(false)
    expect(book.report(1_100)).toEqual([])
  })
})
