import { expect, it } from 'vitest'
import { countPauses } from '../../../test/support/count-pauses.ts'
import { inOneStep } from '../../kit/async/steps.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { scanBody } from '../../wire/verbatim/scan-body.ts'
import { openReading } from './read-in-turns.ts'

function scan(text: string) {
  return scanBody(BodyBytes.from([Buffer.from(text)]), new Set())
}

it('pauses between parsing a body and reading it, and at each pause of its reader', () => {
  const { read, readSteps } = openReading(scan('{"model":"m"}'), function* ({ model }) {
    yield
    return model
  })
  expect(countPauses(readSteps()).pauses).toBe(2)
  expect(read()).toBe('m')
})

it('reads a body once, whatever its steps did before', () => {
  let times = 0
  const { read, readSteps } = openReading(scan('{"model":"m"}'), function* ({ model }) {
    times += 1
    yield
    return model
  })
  readSteps().next()
  expect([read(), read(), countPauses(readSteps()).pauses, times]).toEqual(['m', 'm', 0, 1])
})

it('throws the error of a step each time that the request is read', () => {
  const { read, readSteps } = openReading(scan('{"model":"m"}'), () =>
    inOneStep(() => {
      throw new Error('not this one')
    }),
  )
  expect(countPauses(readSteps()).pauses).toBe(1)
  expect(read).toThrow('not this one')
  expect(read).toThrow('not this one')
})
