import { expect, it } from 'vitest'
import { BodyIntake } from '../../kit/json/body-intake.ts'
import { scanBody } from '../../wire/verbatim/scan-body.ts'
import { openReading, runInTurns } from './read-in-turns.ts'

function scan(text: string) {
  return scanBody(BodyIntake.of([Buffer.from(text)]), new Set())
}

it('lets others have their turn after each stage', async () => {
  const events: string[] = []
  const { stages } = openReading(scan('{"model":"m"}'), () => events.push('read'))
  const other = () => void events.push('other')
  setImmediate(other)
  await runInTurns([...stages, () => events.push('last')])
  expect(events).toEqual(['other', 'read', 'last'])
})

it('reads a body once, whatever its stages did before', async () => {
  let times = 0
  const { read, stages } = openReading(scan('{"model":"m"}'), ({ model }) => {
    times += 1
    return model
  })
  await runInTurns(stages)
  expect([read(), read(), times]).toEqual(['m', 'm', 1])
})

it('throws where the request is read what a stage has thrown', async () => {
  const { read, stages } = openReading(scan('{"model":"m"}'), () => {
    throw new Error('not this one')
  })
  await runInTurns(stages)
  expect(read).toThrow('not this one')
})
