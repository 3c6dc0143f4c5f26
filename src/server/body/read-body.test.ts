import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { throwFault } from '../../../test/support/throw-fault.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import { createDeadlineWatch } from '../../pipeline/response/deadline-watch.ts'
import { readBody, UnbufferedRequest } from './read-body.ts'

function open(maxBytes = 1_000_000) {
  const clock = createFakeClock()
  const message = new UnbufferedRequest(new Socket())
  const outcome: (string | number)[] = []
  let asked = 0
  const ask = () => {
    asked += 1
  }
  const input = { clock, watch: createDeadlineWatch(clock, throwFault), maxBytes, hold: undefined, ask }
  const settle = async () => {
    try {
      outcome.push((await readBody(message, input)).length)
    } catch (error) {
      outcome.push(error instanceof GatewayError ? error.failure.code : -1)
    }
  }
  void settle()
  return { clock, message, outcome, asked: () => asked }
}

describe('reading a request body', () => {
  it('times out after 10 s without data, and not before', async () => {
    const { clock, outcome } = open()
    clock.advance(9_950)
    await nextTurn()
    expect(outcome).toEqual([])
    clock.advance(150)
    await nextTurn()
    expect(outcome).toEqual(['request_timeout'])
  })

  it('continues for as long as a kilobyte per second arrives', async () => {
    const { clock, message, outcome } = open()
    for (let second = 0; second < 300; second += 1) {
      message.push(Buffer.alloc(1_100, ' '))
      clock.advance(1_000)
    }
    message.push(null)
    await nextTurn()
    expect(outcome).toEqual([330_000])
  })

  it('fails as malformed if the connection breaks before the end, and reports only one outcome', async () => {
    const { clock, message, outcome } = open()
    message.push(Buffer.from('{"half'))
    message.destroy(new Error('aborted'))
    clock.advance(120_000)
    await nextTurn()
    expect({ outcome, timers: clock.pendingTimers }).toEqual({ outcome: ['malformed_request'], timers: 0 })
  })

  it('starts once, and leaves no timer behind', async () => {
    const { clock, message, outcome, asked } = open()
    message.push(Buffer.from('{}'))
    message.push(null)
    clock.advance(60_000)
    await nextTurn()
    expect({ outcome, asked: asked(), timers: clock.pendingTimers }).toEqual({
      outcome: [2],
      asked: 1,
      timers: 0,
    })
  })

  it('fails once if the body is too large, however much follows', async () => {
    const { clock, message, outcome } = open(10)
    message.push(Buffer.alloc(11))
    message.push(Buffer.alloc(11))
    message.push(null)
    clock.advance(120_000)
    await nextTurn()
    expect(outcome).toEqual(['request_too_large'])
  })
})
