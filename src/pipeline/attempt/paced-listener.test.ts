import { expect, it } from 'vitest'
import type { Clock } from '../../kit/time/clock.ts'
import type { TransportFault } from '../../upstream/transport-fault.ts'
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
      clock,
    ),
  }
  scene.paced.attach({
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    abort: () => calls.push('abort'),
  })
  return { ...scene, turn, calls, read: () => read, fault: () => fault }
}

it('hands on a large chunk over several turns, in its order, and its end after it', () => {
  const { paced, turn, calls, read } = openScene(6)
  const chunk = Buffer.from(LINE.repeat(640))
  paced.onData(chunk)
  expect(read().length).toBeLessThan(chunk.length / 2)
  paced.onEnd()
  expect(calls).toEqual(['pause'])
  for (let turns = 0; turns < 10; turns += 1) turn()
  expect(read()).toBe(chunk.toString())
  expect(calls.at(-1)).toBe(`end after ${chunk.length}`)
})

it('goes on with the connection once all was handed on', () => {
  const { paced, turn, calls } = openScene(6)
  paced.onData(Buffer.from(LINE.repeat(640)))
  for (let turns = 0; turns < 10; turns += 1) turn()
  expect(calls.at(-1)).toBe('resume')
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

it('ends the call where its reader throws in a later turn', () => {
  const { paced, turn, calls, fault } = openScene(6, (seen) => {
    if (seen.length > 40_000) throw new RangeError('too much')
  })
  paced.onData(Buffer.from(LINE.repeat(640)))
  for (let turns = 0; turns < 10; turns += 1) turn()
  expect([calls.at(-1), fault()?.kind]).toEqual(['abort', 'unreadable'])
})

it('hands on nothing after it was aborted', () => {
  const { paced, turn, read } = openScene(6)
  paced.onData(Buffer.from(LINE.repeat(640)))
  const before = read()
  paced.abort()
  turn()
  expect(read()).toBe(before)
})
