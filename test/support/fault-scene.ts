import { expect } from 'vitest'
import type { FaultInput } from '../../tools/chaos/script/fault-schema.ts'
import type { UpstreamScriptInput } from '../../tools/chaos/script/script-schema.ts'
import { type FaultUpstream, openFaultUpstream } from '../../tools/chaos/upstream/open-fault-upstream.ts'
import type { SeenRequest } from '../../tools/chaos/upstream/upstream-traffic.ts'
import { createFakeClock, type FakeClock } from './fake-clock.ts'
import { openRawClient, type RawClient, rawRequest } from './raw-client.ts'

export const stream = { model: 'm', stream: true, stream_options: { include_usage: true }, messages: [] }
export const whole = { model: 'm', messages: [] }
export const chatPath = '/v1/chat/completions'
export const messagesPath = '/v1/messages'

export interface Scene {
  readonly clock: FakeClock
  readonly upstream: FaultUpstream
  readonly client: RawClient
  /** Sends a request and gives its record once the answer was begun. */
  ask(body: unknown, path?: string): Promise<SeenRequest>
}

/**
 * Opens an upstream with a clock that the test moves and a bare socket to it, and holds that nothing is left
 * afterwards: no timer, no connection.
 */
export async function play(
  script: UpstreamScriptInput,
  act: (scene: Scene) => Promise<void>,
  seed = 7,
): Promise<void> {
  const clock = createFakeClock()
  const upstream = await openFaultUpstream({ clock, seed, script: { answer: { words: 5 }, ...script } })
  const client = await openRawClient(upstream.port, { authority: upstream.authority })
  const ask = (body: unknown, path = chatPath) => {
    client.send(rawRequest(path, body))
    return upstream.request(upstream.requests.length + 1)
  }
  await act({ clock, upstream, client, ask })
  client.close()
  await upstream.close()
  expect(clock.pendingTimers).toBe(0)
  expect(upstream.traffic.connectionsOpen).toBe(0)
}

export const always = (fault: FaultInput): UpstreamScriptInput => ({ rules: [{ do: fault }] })
export const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4)
/** The chunks of a body joined, as far as they are whole. */
export const joinChunks = (text: string): string => bodyOf(text).replace(/(?:^|\r\n)[0-9a-f]+\r\n/g, '')
