import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { openRawClient, type RawClient, rawRequest } from '../support/raw-client.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'

/** Pipelined, so that callers take few descriptors and calls upstream many. */
const CALLERS = 10
const REQUESTS_OF_EACH = 16

function isThrough({ text, socket }: RawClient): boolean {
  return text.split('HTTP/1.1 ').length - 1 === REQUESTS_OF_EACH || socket.readableEnded || socket.destroyed
}

/** Connections are dropped until some of the others have closed. */
async function askWhenFree(url: string): Promise<number> {
  const asking = ask({ url, format: 'chat' }, streamRequest('m'))
  return asking.then(
    ({ status }) => status,
    () => askWhenFree(url),
  )
}

it('a process without file descriptors reports that, and does not blame the provider', async () => {
  const gate = createGate()
  const { frames } = sampleStreams.chat
  await using upstream = await openScriptedUpstream(
    sseAnswer([...frames.slice(0, 4), gate.opened, ...frames.slice(4)]),
  )
  const channel = channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] })
  const keys = `keys: [{ name: test, secret: ${testKey}, models: ["*"] }]\n`
  await using gateway = await startProcess(keys + channel, {}, { descriptors: 128 })
  expect(gateway.errors()).toContain(
    'this process may open 128 files, and limits.connections (10000) can need 20000',
  )
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  const request = rawRequest('/v1/chat/completions', streamRequest('m'), headers)
  const port = Number(new URL(gateway.url).port)
  const clients: RawClient[] = []
  for (let count = 0; count < CALLERS; count += 1) {
    const client = await openRawClient(port)
    client.send(request.repeat(REQUESTS_OF_EACH))
    clients.push(client)
  }
  const linesWith = (text: string) => gateway.output().split(text).length - 1
  await until('requests fail', () => linesWith('"error":"out_of_descriptors"') >= 10)
  expect(linesWith('"status":502')).toBe(0)
  expect(linesWith('"msg":"out of file descriptors')).toBe(1)
  gate.open()
  await until('every caller has all answers, or was dropped', () => clients.every(isThrough))
  expect(linesWith('"status":200')).toBeGreaterThan(0)
  for (const client of clients) client.close()
  expect(await askWhenFree(gateway.url)).toBe(200)
})
