import { expect, it } from 'vitest'
import type { Clock } from '../../kit/time/clock.ts'
import type { TransportFault } from '../../upstream/transport-fault.ts'
import { AnswerTurns } from '../exchange/answer-budget.ts'
import { PacedListener } from './paced-listener.ts'

const LINE = `data: ${'x'.repeat(93)}\n`

/** Its time goes on where a reader says so, its timers with the next turn. */
function openClock() {
  let nowMs = 0
  let timers: (() => void)[] = []
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    startTimer(_delayMs, fire) {
      timers.push(fire)
      return {
        cancel() {
          timers = timers.filter((timer) => timer !== fire)
        },
        restart: () => undefined,
      }
    },
  }
  const turn = () => {
    const due = timers
    timers = []
    for (const fire of due) fire()
  }
  const spend = (costMs: number) => {
    nowMs += costMs
  }
  return { clock, turn, spend }
}

/** A reader to which every slice costs so much time. */
function openScene(
  costMs: number,
  onData: (seen: string, scene: { paced: PacedListener }) => void = () => undefined,
) {
  const { clock, turn, spend } = openClock()
  const answerTurns = new AnswerTurns(clock)
  const calls: string[] = []
  let read = ''
  let fault: TransportFault | undefined
  const scene = {
    paced: new PacedListener(
      {
        onHead: () => calls.push('head'),
        onData(chunk) {
          read += chunk.toString()
          spend(costMs)
          onData(read, scene)
        },
        onEnd: () => calls.push(`end after ${read.length}`),
        onFault: (told) => {
          fault = told
        },
      },
      { clock, answerTurns },
    ),
  }
  scene.paced.attach({
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    abort: () => calls.push('abort'),
  })
  return { ...scene, turn, calls, read: () => read, fault: () => fault }
}

it('delivers a large chunk over several turns in its order, and its end afterwards', () => {
  const { paced, turn, calls, read } = openScene(6)
  const chunk = Buffer.from(LINE.repeat(640))
  paced.onData(chunk)
  expect(read().length).toBeLessThan(chunk.length / 2)
  paced.onEnd()
  expect(calls).toEqual([])
  for (let turns = 0; turns < 10; turns += 1) turn()
  expect(read()).toBe(chunk.toString())
  expect(calls.at(-1)).toBe(`end after ${chunk.length}`)
})

it('reads on while few bytes wait, since each pause costs the HTTP client a copy', () => {
  const { paced, turn, calls } = openScene(6)
  paced.onData(Buffer.from(LINE.repeat(640)))
  paced.onData(Buffer.from(LINE.repeat(640)))
  for (let turns = 0; turns < 20; turns += 1) turn()
  expect(calls).toEqual([])
})

it('pauses the connection while many bytes wait, and resumes once all are delivered', () => {
  const { paced, turn, calls, read } = openScene(6)
  for (let chunks = 0; chunks < 4; chunks += 1) paced.onData(Buffer.from(LINE.repeat(640)))
  expect(calls).toEqual(['pause'])
  for (let turns = 0; turns < 40; turns += 1) turn()
  expect({ calls, read: read().length }).toEqual({ calls: ['pause', 'resume'], read: 256_000 })
})

it('waits while its reader is paused', () => {
  const scene = openScene(0, (seen, { paced }) => {
    if (seen.length < 9_000) paced.pause()
  })
  scene.paced.onData(Buffer.from(LINE.repeat(640)))
  const before = scene.read().length
  scene.turn()
  expect([before < 9_000, scene.read().length]).toEqual([true, before])
  scene.paced.resume()
  expect(scene.read().length).toBe(64_000)
})

it('delivers nothing until the awaited write is durable, and reads on meanwhile', async () => {
  const { paced, calls, read } = openScene(0)
  const durable = Promise.withResolvers<void>()
  paced.waitFor({ intend: () => durable.promise, hurry: () => undefined }, () => undefined)
  paced.onSent()
  paced.onData(Buffer.from(LINE))
  paced.onEnd()
  expect([read(), calls]).toEqual(['', []])
  durable.resolve()
  await durable.promise
  expect([read(), calls]).toEqual([LINE, [`end after ${LINE.length}`]])
})

it('begins the awaited write once the request is sent, or with an earlier answer', () => {
  const begun: string[] = []
  const scenes = ['sent', 'answered'].map((name) => {
    const { paced } = openScene(0)
    const intend = () => Promise.resolve(void begun.push(name))
    paced.waitFor({ intend, hurry: () => undefined }, () => undefined)
    return paced
  })
  expect(begun).toEqual([])
  scenes[0]?.onSent()
  scenes[0]?.onHead(200, {})
  scenes[1]?.onHead(200, {})
  expect(begun).toEqual(['sent', 'answered'])
})

it('hurries the awaited write once, with the first bytes of a body that must wait', async () => {
  const { paced } = openScene(0)
  const durable = Promise.withResolvers<void>()
  let hurried = 0
  paced.waitFor({ intend: () => durable.promise, hurry: () => (hurried += 1) }, () => undefined)
  paced.onSent()
  paced.onHead(200, {})
  expect(hurried).toBe(0)
  paced.onData(Buffer.from(LINE))
  paced.onData(Buffer.from(LINE))
  paced.onEnd()
  expect(hurried).toBe(1)
})

it('does not hurry a write that is durable before the body comes', async () => {
  const { paced } = openScene(0)
  let hurried = 0
  paced.waitFor({ intend: () => Promise.resolve(), hurry: () => (hurried += 1) }, () => undefined)
  paced.onSent()
  await Promise.resolve()
  paced.onData(Buffer.from(LINE))
  paced.onEnd()
  expect(hurried).toBe(0)
})

it('delivers the failure of a call whose request was never sent', () => {
  const { paced, fault } = openScene(0)
  const intend = () => Promise.reject(new RangeError('never asked for'))
  paced.waitFor({ intend, hurry: () => undefined }, () => undefined)
  const refused: TransportFault = { kind: 'refused', message: 'refused', onReusedConnection: false }
  paced.onFault(refused)
  expect(fault()).toEqual(refused)
})

it('pauses the connection when many bytes come before the awaited write is durable', async () => {
  const { paced, turn, calls, read } = openScene(0)
  const durable = Promise.withResolvers<void>()
  paced.waitFor({ intend: () => durable.promise, hurry: () => undefined }, () => undefined)
  paced.onSent()
  for (let chunks = 0; chunks < 4; chunks += 1) paced.onData(Buffer.from(LINE.repeat(640)))
  expect([read(), calls]).toEqual(['', ['pause']])
  durable.resolve()
  await durable.promise
  turn()
  expect([read().length, calls]).toEqual([256_000, ['pause', 'resume']])
})

it('ends the call when its reader throws in a later turn', () => {
  const { paced, turn, calls, fault } = openScene(6, (seen) => {
    if (seen.length > 40_000) throw new RangeError('too much')
  })
  paced.onData(Buffer.from(LINE.repeat(640)))
  for (let turns = 0; turns < 10; turns += 1) turn()
  expect([calls.at(-1), fault()?.kind]).toEqual(['abort', 'unreadable'])
})

it('delivers nothing after it was aborted', () => {
  const { paced, turn, read } = openScene(6)
  paced.onData(Buffer.from(LINE.repeat(640)))
  const before = read()
  paced.abort()
  turn()
  expect(read()).toBe(before)
})

/** Answers of several connections, each slice of which costs so much time. */
function openScenes(count: number, costMs: number) {
  const { clock, turn, spend } = openClock()
  const answerTurns = new AnswerTurns(clock)
  const readOf = Array.from({ length: count }, () => 0)
  const answers = readOf.map((_, index) => {
    const paced = new PacedListener(
      {
        onHead: () => undefined,
        onData(chunk) {
          readOf[index] = (readOf[index] ?? 0) + chunk.length
          spend(costMs)
        },
        onEnd: () => undefined,
        onFault: () => undefined,
      },
      { clock, answerTurns },
    )
    return paced.attach({ pause: () => undefined, resume: () => undefined, abort: () => undefined })
  })
  return { answers, turn, readOf, nowMs: () => clock.monotonicMs() }
}

it('bounds the time in one turn for the large answers of all connections', () => {
  const { answers, nowMs } = openScenes(20, 6)
  const chunk = Buffer.from(LINE.repeat(640))
  for (const answer of answers) answer.onData(chunk)
  expect(nowMs()).toBeLessThan(50)
})

it('gives each of many large answers its turn', () => {
  const { answers, turn, readOf, nowMs } = openScenes(20, 6)
  const chunk = Buffer.from(LINE.repeat(640))
  for (const answer of answers) answer.onData(chunk)
  let longestMs = 0
  for (let turns = 0; turns < 15; turns += 1) {
    const beforeMs = nowMs()
    turn()
    longestMs = Math.max(longestMs, nowMs() - beforeMs)
  }
  expect(longestMs).toBeLessThan(50)
  expect(readOf.every((read) => read > 0)).toBe(true)
  for (let turns = 0; turns < 150; turns += 1) turn()
  expect(readOf).toEqual(readOf.map(() => chunk.length))
})

it('delivers nothing that waits for its turn after it was aborted', () => {
  const { answers, turn, readOf } = openScenes(4, 30)
  for (const answer of answers) answer.onData(Buffer.from(LINE.repeat(640)))
  answers[3]?.abort()
  for (let turns = 0; turns < 40; turns += 1) turn()
  expect(readOf).toEqual([64_000, 64_000, 64_000, 0])
})
