import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/kit/time/clock.ts'
import { openRawClient, rawRequest } from '../../../test/support/raw-client.ts'
import { until } from '../../../test/support/until.ts'
import { openFaultProxy } from '../proxy/open-fault-proxy.ts'
import { openFaultUpstream } from './open-fault-upstream.ts'

const CONNECTIONS = 60

/** Sockets and timers that the process still has. */
const held = () => process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS)|Timeout/.test(name)).length

const request = rawRequest('/v1/chat/completions', { model: 'm', stream: true, messages: [] })

describe('the resources left behind by faults', () => {
  it.each([
    ['fin', false],
    ['reset', false],
    ['half-close', false],
    ['fin', true],
    ['reset', true],
  ] as const)(
    'are zero after cuts by %s at random places of the upstream and the proxy, with TLS %s',
    async (by, isSecure) => {
      const before = held()
      const upstream = await openFaultUpstream({
        clock: systemClock,
        seed: 7,
        script: {
          answer: { words: 30, pace: '1ms' },
          ...(isSecure ? { tls: {} } : {}),
          rules: [{ when: { chance: 0.5 }, do: { cut: { after: { bytes: { from: 0, to: 3_000 } }, by } } }],
        },
      })
      const proxy = await openFaultProxy({
        clock: systemClock,
        seed: 7,
        to: { host: '127.0.0.1', port: upstream.port },
        script: { rules: [{ do: { down: { events: [{ after: { from: 2_000, to: 6_000 }, cut: by }] } } }] },
      })
      for (let sent = 0; sent < CONNECTIONS; sent += 20) {
        const turns = Array.from({ length: 20 }, async () => {
          const client = await openRawClient(proxy.port, { authority: upstream.authority })
          client.send(request)
          await client.ended
          client.close()
        })
        await Promise.all(turns)
      }
      expect(proxy.traffic.connectionsOpened).toBe(CONNECTIONS)
      await until(
        'the connections end by themselves',
        () => proxy.traffic.connectionsOpen + upstream.traffic.connectionsOpen === 0,
      )
      await proxy.close()
      await upstream.close()
      await until('nothing is held', () => held() <= before)
    },
  )
})
