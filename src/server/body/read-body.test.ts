import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { throwFault } from '../../../test/support/throw-fault.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { createDeadlineWatch } from '../../pipeline/response/deadline-watch.ts'
import { readBody } from './read-body.ts'
import { UnbufferedRequest } from './unbuffered-request.ts'

function open(maxBytes = 1_000_000) {
  const clock = createFakeClock()
  const message = new UnbufferedRequest(new Socket())
  const outcome: (string | number)[] = []
  let asked = 0
  const ask = () => {
    asked += 1
  }
  readBody(
    message,
    { clock, watch: createDeadlineWatch(clock, throwFault), maxBytes, hold: undefined, ask },
    (error, body) => {
      if (error instanceof GatewayError) outcome.push(error.failure.code)
      else outcome.push(body?.length ?? -1)
    },
  )
  return { clock, message, outcome, asked: () => asked }
}

describe('a body that comes in', () => {
  it('is given up after 10 s where nothing of it comes, and not before', () => {
    const { clock, outcome } = open()
    clock.advance(9_950)
    expect(outcome).toEqual([])
    clock.advance(150)
    expect(outcome).toEqual(['request_timeout'])
  })

  it('is taken at a kilobyte a second for as long as that lasts', () => {
    const { clock, message, outcome } = open()
    for (let second = 0; second < 300; second += 1) {
      message.push(Buffer.alloc(1_100, ' '))
      clock.advance(1_000)
    }
    message.push(null)
    expect(outcome).toEqual([330_000])
  })

  it('is malformed where its connection breaks before its end, whatever is called afterwards', () => {
    const { clock, message, outcome } = open()
    message.push(Buffer.from('{"half'))
    message.destroy(new Error('aborted'))
    clock.advance(120_000)
    expect({ outcome, timers: clock.pendingTimers }).toEqual({ outcome: ['malformed_request'], timers: 0 })
  })

  it('is asked for once, and leaves no timer behind', () => {
    const { clock, message, outcome, asked } = open()
    message.push(Buffer.from('{}'))
    message.push(null)
    clock.advance(60_000)
    expect({ outcome, asked: asked(), timers: clock.pendingTimers }).toEqual({
      outcome: [2],
      asked: 1,
      timers: 0,
    })
  })

  it('is refused once where it is too large, however much follows', () => {
    const { clock, message, outcome } = open(10)
    message.push(Buffer.alloc(11))
    message.push(Buffer.alloc(11))
    message.push(null)
    clock.advance(120_000)
    expect(outcome).toEqual(['request_too_large'])
  })
})
