import { expect, it } from 'vitest'
import { createProcessBus } from './process-bus.ts'

it('delivers valid values published on a topic, and nothing else', () => {
  const bus = createProcessBus(() => undefined)
  const heard: unknown[] = []
  bus.on('reset-health', (channel) => heard.push(channel))
  bus.on('requests-ended', (rows) => heard.push(rows))
  bus.on('alert-changed', ({ id }) => heard.push(id))
  bus.deliver('reset-health', 'primary')
  bus.deliver('reset-health', { channel: 'primary' })
  bus.deliver('requests-ended', [])
  bus.deliver('requests-ended', 'primary')
  bus.deliver('alert-changed', { id: 'alr_1' })
  bus.deliver('alert-changed', null)
  bus.deliver('of-another-version', 'primary')
  expect(heard).toEqual(['primary', [], 'alr_1'])
})
