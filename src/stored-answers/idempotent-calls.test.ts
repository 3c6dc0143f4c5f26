import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createGate } from '../../test/support/gate.ts'
import type { KeyId } from '../access/key.ts'
import { brand } from '../kit/brand.ts'
import { nextTurn } from '../kit/time/clock.ts'
import type { CallName, FinishedCall, IdempotencyStore, IdempotentAnswer } from './idempotency-store.ts'
import { type CallClaim, IdempotentCalls } from './idempotent-calls.ts'

const KEEP_MS = 60_000
const policy = { keepMs: KEEP_MS, maxBytes: 8_000 }

/** A store that lasts over restarts, and fails where a test says so. */
function createStore() {
  const rows = new Map<string, FinishedCall>()
  const store: IdempotencyStore = {
    async claim(name) {
      const call = rows.get(textOf(name))
      return call === undefined ? { type: 'claimed' } : { type: 'finished', call }
    },
    release: async () => undefined,
    async finish(calls) {
      if (state.isFailing) throw new Error('the disk is full')
      for (const call of calls) rows.set(textOf(call.name), call)
    },
    // A store drops late what has expired.
    prune: async () => undefined,
  }
  const state = { store, isFailing: false }
  return state
}

const textOf = ({ keyId, id }: CallName) => `${keyId} ${id}`
const name = (keyId: string, id: string): CallName => ({ keyId: brand<KeyId>(keyId), id })

function answerOf(fingerprint: string, words: string): IdempotentAnswer {
  return { fingerprint, kind: 'whole', status: 200, headers: {}, body: Buffer.from(words) }
}

function open(store = createStore().store, clock = createFakeClock()) {
  const warnings: string[] = []
  const calls = new IdempotentCalls<string>(
    { store, clock, warn: (message) => warnings.push(message), maxWaitingBytes: 10_000 },
    policy,
  )
  return { calls, clock, warnings }
}

/** The claim of a name that nobody has. */
function claimOf<Call>(opened: ReturnType<IdempotentCalls<Call>['open']>): CallClaim<Call> {
  if (opened.type !== 'first') throw new Error(`expected to be the first: ${opened.type}`)
  return opened.claim
}

const names = fc.constantFrom(name('a', '1'), name('a', '2'), name('b', '1'))
const steps = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('ask' as const),
      name: names,
      fingerprint: fc.constantFrom('f', 'g'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('finish' as const), name: names }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('fail' as const), name: names }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: KEEP_MS }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
)

it('for any order of calls, ends, expiries and restarts, one call runs at a time and its answer is repeated', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (history) => {
      const { store } = createStore()
      const clock = createFakeClock()
      let { calls } = open(store, clock)
      const running = new Map<string, { readonly claim: CallClaim<string>; readonly fingerprint: string }>()
      const finished = new Map<string, FinishedCall>()
      let made = 0
      for (const step of history) {
        switch (step.type) {
          case 'ask': {
            const text = textOf(step.name)
            const opened = calls.open(step.name, step.fingerprint, () => `call ${++made}`)
            const other = running.get(text)
            if (other !== undefined) {
              const isSame = other.fingerprint === step.fingerprint
              expect(opened).toEqual(
                isSame ? { type: 'joins', call: other.claim.call } : { type: 'conflict' },
              )
              break
            }
            const claim = claimOf(opened)
            const known = finished.get(text)
            const isThere = known !== undefined && known.expiresAtMs > clock.nowMs()
            expect(await claim.look()).toEqual(
              isThere ? { type: 'finished', call: known } : { type: 'claimed' },
            )
            if (isThere) claim.end(undefined)
            else running.set(text, { claim, fingerprint: step.fingerprint })
            break
          }
          case 'finish': {
            const text = textOf(step.name)
            const own = running.get(text)
            if (own === undefined) break
            const answer = answerOf(own.fingerprint, own.claim.call)
            own.claim.end(answer)
            running.delete(text)
            finished.set(text, { name: step.name, answer, expiresAtMs: clock.nowMs() + KEEP_MS })
            break
          }
          case 'fail': {
            const text = textOf(step.name)
            running.get(text)?.claim.end(undefined)
            running.delete(text)
            break
          }
          case 'wait':
            clock.advance(step.ms)
            await Promise.resolve()
            break
          case 'restart':
            await calls.close()
            running.clear()
            calls = open(store, clock).calls
        }
      }
    }),
    { numRuns: 300 },
  )
})

it('a late end does not end the call of another request', () => {
  const { calls } = open()
  const first = claimOf(calls.open(name('a', '1'), 'f', () => 'first'))
  first.end(undefined)
  claimOf(calls.open(name('a', '1'), 'f', () => 'second'))
  first.end(answerOf('f', 'late'))
  expect(calls.open(name('a', '1'), 'f', () => 'third')).toEqual({ type: 'joins', call: 'second' })
})

it('answers that cannot be written are repeated from memory and written later', async () => {
  const store = createStore()
  store.isFailing = true
  const { calls, clock, warnings } = open(store.store)
  claimOf(calls.open(name('a', '1'), 'f', () => 'call')).end(answerOf('f', 'words'))
  clock.advance(100)
  await calls.close()
  const claim = claimOf(calls.open(name('a', '1'), 'f', () => 'call'))
  expect(await claim.look()).toMatchObject({ type: 'finished' })
  expect(warnings).toEqual([expect.stringContaining('the disk is full')])
})

it('the oldest answers are lost, with a warning, if too many wait for the database', async () => {
  const { calls, warnings } = open()
  const lookAt = (id: string) => claimOf(calls.open(name('a', id), 'f', () => 'call')).look()
  for (let index = 0; index < 20; index += 1) {
    claimOf(calls.open(name('a', `${index}`), 'f', () => 'call')).end(answerOf('f', 'x'.repeat(500)))
  }
  expect([(await lookAt('0')).type, (await lookAt('19')).type]).toEqual(['claimed', 'finished'])
  expect(warnings.length).toBe(1)
})

it('an answer over an eighth of the byte limit is not stored', async () => {
  const { calls } = open()
  const [within, over] = [name('a', '1'), name('a', '2')]
  claimOf(calls.open(within, 'f', () => 'call')).end(answerOf('f', 'x'.repeat(1_000)))
  claimOf(calls.open(over, 'f', () => 'call')).end(answerOf('f', 'x'.repeat(1_001)))
  const types = [within, over].map(
    async (one) => (await claimOf(calls.open(one, 'f', () => 'call')).look()).type,
  )
  expect(await Promise.all(types)).toEqual(['finished', 'claimed'])
})

it('expired answers are deleted every ten minutes while no request arrives, and never after the close', async () => {
  const prunedAtMs: number[] = []
  const clock = createFakeClock()
  const prune: IdempotencyStore['prune'] = async () => void prunedAtMs.push(clock.monotonicMs())
  const { calls } = open({ ...createStore().store, prune }, clock)
  for (const passedMs of [50, 600_050, 600_050]) {
    clock.advance(passedMs)
    await nextTurn()
  }
  expect(prunedAtMs).toEqual([50, 600_100, 1_200_150])
  await calls.close()
  expect(clock.pendingTimers).toBe(0)
})

it('a request that gets an unsaved answer leaves the claim to the process that saves it', async () => {
  const released: string[] = []
  const release: IdempotencyStore['release'] = async ({ id }) => void released.push(id)
  const { calls } = open({ ...createStore().store, release })
  const ask = () => claimOf(calls.open(name('a', '1'), 'f', () => 'call'))
  const first = ask()
  await first.look()
  first.end(answerOf('f', 'one'))
  const second = ask()
  expect(await second.look()).toMatchObject({ type: 'finished' })
  second.end(undefined)
  expect(released).toEqual([])
})

describe('a call whose caller leaves while the store claims its name', () => {
  /** A store that claims a name late, as a database that is slow does. */
  function openLate() {
    const gate = createGate()
    const held = new Set<string>()
    const { calls } = open({
      ...createStore().store,
      async claim({ id }) {
        await gate.opened
        held.add(id)
        return { type: 'claimed' }
      },
      release: async ({ id }) => void held.delete(id),
    })
    const ask = (call: string) => claimOf(calls.open(name('a', '1'), 'f', () => call))
    return { gate, held, ask }
  }

  it('has a name that is free afterwards', async () => {
    const { gate, held, ask } = openLate()
    const claim = ask('left')
    const looking = claim.look()
    claim.end(undefined)
    gate.open()
    await looking
    expect([...held]).toEqual([])
  })

  it('leaves the name to a later request of it', async () => {
    const { gate, held, ask } = openLate()
    const left = ask('left')
    const looking = left.look()
    left.end(undefined)
    const later = ask('later')
    gate.open()
    await looking
    expect([...held]).toEqual(['1'])
    later.end(undefined)
    expect([...held]).toEqual([])
  })
})
