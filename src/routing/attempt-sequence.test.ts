import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../test/support/create-candidate.ts'
import { createChannel } from '../../test/support/create-channel.ts'
import { runRouteCase } from '../../test/support/route-case.ts'
import { createRoutingFacts } from '../../test/support/routing-facts.ts'
import { fail } from '../../test/support/simulate-routing.ts'
import { AttemptSequence } from './attempt-sequence.ts'
import type { Candidate } from './candidate.ts'
import { RetryBudget } from './retry-budget.ts'

const policy = { attempts: 4, sameTarget: 1, maxRetryAfterMs: 3_000, deadlineMs: 30_000 }
const first = createCandidate({ name: 'first' })
const second = createCandidate({ name: 'second' })
const fallback = { ...createCandidate({ name: 'third' }), publicName: 'other' }

function open(candidates: readonly Candidate[]) {
  const { random, ...facts } = createRoutingFacts()
  const routingState = { ...facts, retryBudget: new RetryBudget() }
  const parts = { candidates, routingState, policy, random, isStream: true, deadlineAtMs: 100_000 }
  return { routingState, sequence: new AttemptSequence(parts) }
}

/** The target of the next call, waits passed over, and its time in seconds, rounded down to a half. */
function callNext(sequence: AttemptSequence, monotonicMs: number): string {
  const step = sequence.next(monotonicMs)
  if (step.type === 'end') return step.reason
  if (step.type === 'wait')
    return `after ${Math.floor(step.waitMs / 250) / 4} s ${callNext(sequence, monotonicMs + step.waitMs)}`
  return step.candidate.target.channel.name
}

describe('the calls of a request', () => {
  it('advance the rotation of credentials once, when the first of them starts', () => {
    const channel = createChannel({
      name: 'many',
      models: { m: 'm' },
      credentials: [
        { id: 'many#0', secret: 'secret-of-8' },
        { id: 'many#1', secret: 'secret-of-8' },
      ],
    })
    const target = { ...first.target, channel }
    const candidates = channel.credentials.map((credential) => ({ ...first, target, credential }))
    const { sequence, routingState } = open(candidates)
    expect(routingState.rotation.turnOf('many')).toBe(0)
    callNext(sequence, 0)
    expect(routingState.rotation.turnOf('many')).toBe(1)
    sequence.finish({ type: 'failed', failure: fail('upstream_credential') }, 10)
    expect(callNext(sequence, 10)).toBe('many')
    expect(routingState.rotation.turnOf('many')).toBe(1)
  })

  it('retry a server error once, and then go to another target', () => {
    const { sequence } = open([first, second])
    expect(callNext(sequence, 0)).toBe('first')
    sequence.finish({ type: 'failed', failure: fail('upstream_error') }, 10)
    expect(callNext(sequence, 10)).toBe('after 0.25 s first')
    sequence.finish({ type: 'failed', failure: fail('upstream_error') }, 400)
    expect(callNext(sequence, 400)).toBe('second')
    sequence.finish({ type: 'answered' }, 500)
    expect(sequence.next(500)).toEqual({ type: 'end', reason: 'stopped' })
  })

  it('wait for a rate limit before another model, but not before another target of the same model', () => {
    const before = open([first, fallback])
    expect(callNext(before.sequence, 0)).toBe('first')
    before.sequence.finish({ type: 'failed', failure: fail('upstream_rate_limited', 2) }, 10)
    expect(callNext(before.sequence, 10)).toMatch(/^after 2(\.25|\.5)? s first$/)
    const beside = open([first, second])
    expect(callNext(beside.sequence, 0)).toBe('first')
    beside.sequence.finish({ type: 'failed', failure: fail('upstream_rate_limited', 2) }, 10)
    expect(callNext(beside.sequence, 10)).toBe('second')
  })

  it('a rate limit of one model leaves a fallback of the same credential to try', () => {
    const small = { ...first.target, upstreamModel: 'small' }
    const { sequence } = open([first, { ...first, target: small, publicName: 'small' }])
    expect(callNext(sequence, 0)).toBe('first')
    sequence.finish({ type: 'failed', failure: fail('upstream_rate_limited') }, 10)
    const step = sequence.next(10)
    expect(step.type === 'call' && step.candidate.target.upstreamModel).toBe('small')
  })

  it('end once a part of an answer was shown', () => {
    const { sequence, routingState } = open([first, second])
    callNext(sequence, 0)
    sequence.recordContent(100)
    sequence.finish({ type: 'failed', failure: fail('upstream_disconnected') }, 200)
    expect(callNext(sequence, 200)).toBe('stopped')
    expect(routingState.latency.of(first.target, true, 200)).toBe(100)
    expect(routingState.health.report(200).find(({ scope }) => scope === 'model')).toMatchObject({
      calls: 2,
      failures: 1,
    })
  })

  it('leave out a target without budget with all its credentials, without a call', () => {
    const again = { ...first, credential: { id: 'first-1', secret: 'second-secret' } }
    const { sequence } = open([first, again, second])
    expect(callNext(sequence, 0)).toBe('first')
    sequence.finish({ type: 'skipped' }, 10)
    expect(sequence.calls).toBe(0)
    expect(callNext(sequence, 10)).toBe('second')
    sequence.finish({ type: 'skipped' }, 20)
    expect(callNext(sequence, 20)).toBe('exhausted')
  })

  it('count against a target that used up the time of a request, and not against one that got the rest of it', () => {
    const { sequence, routingState } = open([first, second])
    expect(callNext(sequence, 70_000)).toBe('first')
    sequence.finish({ type: 'failed', failure: fail('upstream_timeout') }, 99_000)
    expect(callNext(sequence, 99_000)).toBe('second')
    sequence.finish({ type: 'failed', failure: fail('upstream_timeout') }, 100_000)
    expect(callNext(sequence, 100_000)).toBe('deadline')
    const failed = routingState.health.report(100_000).filter(({ failures }) => failures > 0)
    expect(failed.map(({ channel }) => channel)).toEqual(['first'])
    const alone = open([first])
    callNext(alone.sequence, 70_000)
    alone.sequence.finish({ type: 'failed', failure: fail('upstream_timeout') }, 100_000)
    expect(alone.routingState.health.report(100_000).some(({ failures }) => failures > 0)).toBe(true)
  })

  it('are no success of a target that failed before its first content', () => {
    const { sequence, routingState } = open([first])
    callNext(sequence, 0)
    sequence.finish({ type: 'failed', failure: fail('upstream_error') }, 10)
    expect(routingState.latency.of(first.target, true, 10)).toBeUndefined()
    expect(routingState.health.report(10).find(({ scope }) => scope === 'model')).toMatchObject({
      calls: 1,
      failures: 1,
    })
  })

  it('could have another target instead, while one is in rotation', () => {
    const again = { ...first, credential: { id: 'first-1', secret: 'second-secret' } }
    const alone = open([first, again])
    callNext(alone.sequence, 0)
    expect(alone.sequence.hasOther(0)).toBe(false)
    const { sequence, routingState } = open([first, second])
    callNext(sequence, 0)
    expect(sequence.hasOther(0)).toBe(true)
    routingState.health.recordFailure(second, fail('upstream_model_missing'), {
      startedAtMs: 0,
      endedAtMs: 0,
    })
    expect(sequence.hasOther(0)).toBe(false)
  })

  it('retry a target only if an attempt is left for each of the others in rotation', () => {
    const others = ['b', 'c', 'd'].map((name) => createCandidate({ name }))
    const healthy = open([first, ...others])
    callNext(healthy.sequence, 0)
    healthy.sequence.finish({ type: 'failed', failure: fail('upstream_error') }, 10)
    expect(callNext(healthy.sequence, 10)).toBe('b')
    const failing = open([first, ...others])
    callNext(failing.sequence, 0)
    const missing = fail('upstream_model_missing')
    for (const other of others)
      failing.routingState.health.recordFailure(other, missing, { startedAtMs: 0, endedAtMs: 5 })
    failing.sequence.finish({ type: 'failed', failure: fail('upstream_error') }, 10)
    expect(callNext(failing.sequence, 10)).toBe('after 0.25 s first')
  })

  it('retry a target if the others have no free slot, since no attempt of theirs could be made', () => {
    const others = ['b', 'c', 'd'].map((name) => createCandidate({ name, concurrency: 1 }))
    const { sequence, routingState } = open([first, ...others])
    for (const { target } of others) routingState.inFlight.tryAcquire(target)
    callNext(sequence, 0)
    sequence.finish({ type: 'failed', failure: fail('upstream_error') }, 10)
    expect(callNext(sequence, 10)).toBe('after 0.25 s first')
  })

  it('do not begin at the deadline', () => {
    const { sequence } = open([first, second])
    callNext(sequence, 0)
    sequence.finish({ type: 'failed', failure: fail('upstream_timeout') }, 100_000)
    expect(callNext(sequence, 100_000)).toBe('deadline')
  })

  it('pass over a full channel until a call releases its slot', () => {
    const narrow = createCandidate({ name: 'narrow', concurrency: 1 })
    const { sequence, routingState } = open([narrow, second])
    routingState.inFlight.tryAcquire(narrow.target)
    expect(callNext(sequence, 0)).toBe('second')
    expect(routingState.inFlight.release(narrow.target)).toBe(true)
    sequence.finish({ type: 'left' }, 1)
    expect(routingState.inFlight.ofChannel('second')).toBe(0)
  })

  it('pass over a target whose probe is running', () => {
    const { sequence, routingState } = open([{ ...first, isProbe: true }, second])
    routingState.health.recordFailure(first, fail('upstream_model_missing'), { startedAtMs: 0, endedAtMs: 0 })
    expect(routingState.health.acquireProbe(first, 60_000)).toBe(true)
    expect(callNext(sequence, 60_000)).toBe('second')
  })

  it('a target whose breaker half-opened after the plan is called by one request at a time', () => {
    const { sequence, routingState } = open([first, second])
    const input = { candidates: [first, second], routingState, policy, deadlineAtMs: 100_000 }
    const other = new AttemptSequence({ ...input, random: createRoutingFacts().random, isStream: true })
    callNext(sequence, 0)
    callNext(other, 0)
    const missing = fail('upstream_model_missing')
    routingState.health.recordFailure(second, missing, { startedAtMs: 0, endedAtMs: 10 })
    for (const one of [sequence, other])
      one.finish({ type: 'failed', failure: fail('upstream_timeout') }, 70_000)
    expect(callNext(sequence, 70_000)).toBe('second')
    expect(callNext(other, 70_000)).toBe('exhausted')
  })

  it('the end of a probe that shows nothing about its target lets another request be the probe', () => {
    const probe = { ...first, isProbe: true }
    const { sequence, routingState } = open([probe])
    routingState.health.recordFailure(first, fail('upstream_model_missing'), { startedAtMs: 0, endedAtMs: 0 })
    expect(callNext(sequence, 60_000)).toBe('first')
    expect(sequence.finish({ type: 'left' }, 60_010)).toBe(true)
  })

  it('end retries with the budget of extra calls, but not a first call elsewhere', () => {
    const { sequence, routingState } = open([first, second])
    for (let count = 0; count < 10; count += 1)
      expect(routingState.retryBudget.tryWithdraw('further', 0)).toBe(true)
    callNext(sequence, 0)
    sequence.finish({ type: 'failed', failure: fail('upstream_error') }, 10)
    expect(callNext(sequence, 10)).toMatch(/^after 0.25 s second$/)
    sequence.finish({ type: 'failed', failure: fail('upstream_error') }, 400)
    expect(callNext(sequence, 400)).toMatch(/budget$/)
  })
})

it('never retry against the verdict, leave the route, or pass the deadline, whatever fails', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      expect(runRouteCase(seed)).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})
