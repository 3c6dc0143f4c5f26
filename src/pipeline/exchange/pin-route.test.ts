import { expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { Route } from '../../catalog/catalog.ts'
import { pinRoute } from './pin-route.ts'

const targets = [
  createCandidate({ name: 'a', model: 'large' }),
  createCandidate({ name: 'a', model: 'small' }),
  createCandidate({ name: 'b', model: 'large' }),
].map(({ target }) => target)
const route: Route = { publicName: 'best', targets, strategy: 'priority-weighted', fallbacks: ['cheap'] }

const pinned = (channel: string, upstreamModel?: string) =>
  pinRoute(route, { channel, upstreamModel, isTrial: false })

it('leads to one channel alone, without a fallback', () => {
  const { targets: left, fallbacks } = pinned('a')
  expect(left.map(({ channel, upstreamModel }) => [channel.name, upstreamModel])).toEqual([
    ['a', 'large'],
    ['a', 'small'],
  ])
  expect(fallbacks).toEqual([])
})

it('leads to one model of the channel if the request names it', () => {
  expect(pinned('a', 'small').targets.map(({ upstreamModel }) => upstreamModel)).toEqual(['small'])
})

it('is refused when the channel does not serve the public name', () => {
  expect(() => pinned('c')).toThrow(GatewayError)
  expect(() => pinned('b', 'small')).toThrow('The channel "b" does not serve the model "best".')
})
