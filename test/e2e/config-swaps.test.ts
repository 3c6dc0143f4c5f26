import { expect, it } from 'vitest'
import { swapConfigurations } from '../support/swap-configurations.ts'

it('20 swaps by API and by file fail no request and truncate no stream', async () => {
  const { swaps, requests, channels, failures, liveStreams, cutStreams } = await swapConfigurations({
    swaps: 20,
    callers: 4,
    streams: 10,
  })
  expect({ swaps, failures, liveStreams, cutStreams }).toEqual({
    swaps: 20,
    failures: [],
    liveStreams: 10,
    cutStreams: [],
  })
  expect(requests).toBeGreaterThan(20)
  expect(channels).toBeGreaterThan(10)
})
