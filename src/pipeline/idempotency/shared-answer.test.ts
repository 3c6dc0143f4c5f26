import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { createFailure } from '../../canonical/failure.ts'
import type { IdempotentAnswer } from '../../stored-answers/idempotency-store.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { AnswerBudget } from '../exchange/answer-budget.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import { createCallerConnection } from '../response/caller-connection.ts'
import { createDeadlineWatch } from '../response/deadline-watch.ts'
import type { ResponseSink } from '../response/response-sink.ts'
import { createResponseWriter } from '../response/response-writer.ts'
import type { WaitingCaller } from './answer-follower.ts'
import { SharedAnswer } from './shared-answer.ts'

const clock = createFakeClock()
const watch = createDeadlineWatch(clock, () => undefined)

/** A caller that reads when a test says so. */
class Caller implements ResponseSink {
  text = ''
  headers: Readonly<Record<string, string>> = {}
  status: number | undefined
  isFull = false
  /** Written to although it could take no more. */
  wasOverrun = false
  #isBlocked = false
  ended: 'end' | 'cut' | undefined
  drain = (): void => undefined
  leave = (): void => undefined
  stop = (): void => undefined
  readonly faults: unknown[] = []
  outcome: ExchangeOutcome | undefined

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status
    this.headers = headers
  }

  write(bytes: Buffer | string): boolean {
    if (this.#isBlocked && this.ended === undefined) this.wasOverrun = true
    this.text += bytes.toString()
    if (this.isFull) this.#isBlocked = true
    return !this.isFull
  }

  end(last: Buffer | string = ''): void {
    this.text += last.toString()
    this.ended = 'end'
  }

  cut(): void {
    this.ended = 'cut'
  }

  onDrain(listener: () => void): void {
    this.drain = () => {
      this.isFull = false
      this.#isBlocked = false
      listener()
    }
  }

  onGone(listener: () => void): void {
    this.leave = listener
  }

  onStop(listener: () => void): void {
    this.stop = listener
  }

  reader(): WaitingCaller {
    const onFault = (error: unknown) => this.faults.push(error)
    return {
      connection: createCallerConnection(this, onFault),
      openWriter: () =>
        createResponseWriter({
          sink: this,
          format: chatFormat,
          requestId: 'r',
          clock,
          watch,
          heartbeat: undefined,
          onFault,
        }),
      onFault,
    }
  }
}

/** A call with one caller, as serving it has it. */
function startCall({ maxBytes = 1_000, heldAnswerBytes = 1_000_000 } = {}) {
  const budget = new AnswerBudget({ heldAnswerBytes })
  const shared = new SharedAnswer({ fingerprint: 'f', hold: budget.open(), maxBytes })
  const ends: (IdempotentAnswer | undefined)[] = []
  const heard: string[] = []
  const owner = new Caller()
  const reader = owner.reader()
  shared.lead(reader, { end: (answer) => void (ends.length === 0 && ends.push(answer)) })
  shared.open(true, reader.openWriter(true))
  shared.listen({
    onDrain: () => heard.push('drain'),
    onGone: () => heard.push('gone'),
    onStop: () => heard.push('stop'),
  })
  const join = () => {
    const caller = new Caller()
    void shared.join(caller.reader()).then((outcome) => {
      caller.outcome = outcome
    })
    return caller
  }
  return { shared, budget, owner, join, ends, heard }
}

const step = fc.oneof(
  fc.record({ type: fc.constant('write' as const), bytes: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ type: fc.constant('join' as const) }),
  fc.record({
    type: fc.constantFrom('fill' as const, 'drain' as const, 'leave' as const),
    caller: fc.nat(5),
  }),
)

it('every remaining reader gets every byte once, at its own speed, and a call ends when no reader remains', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 600 }), (history, maxBytes) => {
      const { shared, budget, owner, join, ends, heard } = startCall({ maxBytes })
      const callers = [owner]
      const left = new Set<Caller>()
      let sent = ''
      let mayWrite = true
      for (const one of history) {
        if (shared.isGone) break
        const caller = 'caller' in one ? callers[one.caller % callers.length] : undefined
        switch (one.type) {
          case 'write': {
            if (heard.includes('drain')) mayWrite = true
            heard.length = 0
            if (!mayWrite) break
            const text = String.fromCharCode(97 + (sent.length % 26)).repeat(one.bytes)
            sent += text
            mayWrite = shared.writeStream(text, {})
            // Only what nobody can join any more is held up.
            if (shared.canJoin) expect(mayWrite).toBe(true)
            break
          }
          case 'join':
            if (shared.canJoin) callers.push(join())
            break
          case 'fill':
            if (caller !== undefined) caller.isFull = true
            break
          case 'drain':
            caller?.drain()
            break
          case 'leave':
            if (caller === undefined) break
            left.add(caller)
            caller.leave()
        }
      }
      for (const caller of callers) caller.drain()
      // A call that waits hears when nobody is behind any more.
      expect(mayWrite || shared.isGone || heard.includes('drain')).toBe(true)
      const isWhole = shared.canJoin
      expect(shared.isGone).toBe(left.size === callers.length)
      if (!shared.isGone) shared.endStream()
      for (let turn = 0; turn < 100; turn += 1) for (const caller of callers) caller.drain()
      for (const caller of callers) {
        expect(caller.wasOverrun).toBe(false)
        expect(caller.faults).toEqual([])
        if (left.has(caller)) expect(sent.startsWith(caller.text)).toBe(true)
        else expect([caller.text, caller.ended]).toEqual([sent, 'end'])
      }
      const stored = shared.isGone || !isWhole ? undefined : sent
      expect(ends.map((answer) => answer?.body.toString())).toEqual([stored])
      expect(budget.heldBytes).toBe(0)
    }),
    { numRuns: 500 },
  )
})

describe('one answer for several callers', () => {
  it('pauses the call for the slowest reader once it is too long to be stored, and resumes when that reader leaves', () => {
    const { shared, join, heard, owner, budget } = startCall({ maxBytes: 10 })
    shared.writeStream('12345', {})
    const slow = join()
    slow.isFull = true
    expect(shared.writeStream('67890', {})).toBe(true)
    expect([shared.writeStream('too long', {}), shared.canJoin]).toEqual([false, false])
    expect(budget.heldBytes).toBeGreaterThan(0)
    slow.leave()
    expect([heard, owner.text, budget.heldBytes]).toEqual([['drain'], '1234567890too long', 0])
  })

  it('is neither stored nor delayed for a caller that joined, when the answers in progress leave no memory', () => {
    const { shared, ends, owner } = startCall({ heldAnswerBytes: 4 })
    expect([shared.writeStream('12345', {}), shared.canJoin]).toEqual([true, false])
    shared.endStream()
    expect([ends, owner.text]).toEqual([[undefined], '12345'])
  })

  it('fails for all of them, each with the text of the error, and is not stored', async () => {
    const { shared, join, ends, owner } = startCall()
    shared.writeStream('data: 1\n\n', {})
    const joined = join()
    shared.fail(createFailure('upstream_disconnected'), {})
    expect([owner.ended, joined.ended, ends]).toEqual(['cut', 'cut', [undefined]])
    expect(joined.text).toContain('upstream_disconnected')
    await Promise.resolve()
    expect(joined.outcome).toMatchObject({ type: 'failed', failure: { code: 'upstream_disconnected' } })
  })

  it('ends for its remaining readers when the process ends', () => {
    const { shared, join, heard } = startCall()
    shared.writeStream('data: 1\n\n', {})
    const slow = join()
    slow.isFull = true
    shared.writeStream('data: 2\n\n', {})
    shared.writeStream('data: 3\n\n', {})
    shared.endStream()
    expect(slow.ended).toBeUndefined()
    slow.stop()
    expect([slow.ended, slow.text.includes('shutting_down'), heard]).toEqual(['cut', true, []])
  })

  it('keeps its end for a slow reader when the call fails afterwards', () => {
    const { shared, join } = startCall()
    const slow = join()
    slow.isFull = true
    for (const part of ['data: 1\n\n', 'data: 2\n\n']) shared.writeStream(part, {})
    shared.endStream()
    shared.fail(createFailure('internal_error'), {})
    slow.drain()
    expect([slow.ended, slow.text]).toEqual(['end', 'data: 1\n\ndata: 2\n\n'])
  })

  it('reports the end of the process to the call once', () => {
    const { join, owner, heard } = startCall()
    const joined = join()
    owner.stop()
    joined.stop()
    expect(heard).toEqual(['stop'])
  })

  it('is free for the callers that joined, and says so', () => {
    const { shared, join, owner } = startCall()
    const headers = { 'x-headgate-model': 'm', 'x-headgate-cost': '0.5' }
    const joined = join()
    shared.writeStream('data: 1\n\n', headers)
    expect(owner.headers).toMatchObject(headers)
    expect(joined.headers).toMatchObject({
      'x-headgate-model': 'm',
      'x-headgate-cost': '0',
      'x-headgate-idempotent-replay': 'true',
    })
  })

  it('is over for the call when a fault cuts off its own caller, even with other readers left', () => {
    const { shared, join, heard, owner } = startCall()
    join().isFull = true
    shared.writeStream('data: 1\n\n', {})
    shared.fail(createFailure('internal_error'), {})
    owner.leave()
    expect(heard).toEqual(['gone'])
  })
})
