import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

/** Until so many requests are in progress, as the metrics have it. */
async function untilActive(url: string, count: number): Promise<void> {
  const giveUpAtMs = performance.now() + 5_000
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text()
    if (new RegExp(`^headgate_active_requests ${count}$`, 'm').test(text)) return
    if (performance.now() > giveUpAtMs) throw new Error(`never ${count} in progress: ${text}`)
  }
}

it('a request that waits for a full channel keeps its place in the queue while configurations change', async () => {
  needsOneProcess('each process has its own slots of a channel')
  const gate = createGate()
  const { bytes, frames } = sampleStreams.chat
  await using upstream = await openScriptedUpstream((_request, index) =>
    index === 0 ? sseAnswer([...frames.slice(0, 4), gate.opened, ...frames.slice(4)]) : sseAnswer([bytes]),
  )
  const channel = { name: 'narrow', format: 'chat', origin: upstream.origin, models: ['m'] } as const
  await using gateway = await startGateway(channelYaml({ ...channel, more: 'concurrency: 1' }))
  const admin = createAskAdmin(gateway.url)
  const position = { url: gateway.url, format: 'chat' } as const
  const order: string[] = []
  const send = (name: string) =>
    ask(position, streamRequest('m')).then((answer) => {
      order.push(name)
      return answer.status
    })
  const begun = createGate()
  const holder = ask(position, streamRequest('m'), { onBytes: begun.open })
  await begun.opened
  const early = send('early')
  await untilActive(gateway.url, 2)
  const change = await admin('PUT', '/config', { body: { document: { retry: { attempts: 4 } } } })
  expect(change.status).toBe(200)
  const late = send('late')
  await untilActive(gateway.url, 3)
  const openedAtMs = performance.now()
  gate.open()
  expect([(await holder).status, await early, await late]).toEqual([200, 200, 200])
  expect(order).toEqual(['early', 'late'])
  // Not only when the wait is over, which is 10 s.
  expect(performance.now() - openedAtMs).toBeLessThan(5_000)
})
