import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allCases } from './cases/all-cases.ts'
import { type EchoGateway, openEchoGateway } from './open-echo-gateway.ts'
import { isInstalled, openProxy, proxyNames, type StartedProxy } from './open-proxy.ts'
import { readAnswers } from './read-answers.ts'
import { makeMarker } from './run-raw-case.ts'
import { talk } from './talk.ts'

/** Longer than any answer takes; what still says nothing then waits for bytes that never come. */
const QUIET_MS = 150

let gateway: EchoGateway

beforeAll(async () => {
  gateway = await openEchoGateway()
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

describe.each(proxyNames)('behind %s, which may answer by itself', (name) => {
  const isHere = isInstalled(name)
  if (!isHere) process.stderr.write(`SKIPPED: ${name} is not installed; no case was tried behind it\n`)
  let proxy: StartedProxy

  beforeAll(async () => {
    if (isHere) proxy = await openProxy(name, gateway.port)
  })

  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
  })

  const cases = Object.entries(allCases).flatMap(([about, all]) =>
    all.map(({ name: what, bytes }) => ({ name: `${about}: ${what}`, bytes })),
  )
  it.skipIf(!isHere).concurrent.each(cases)('$name', async ({ bytes }) => {
    await send(proxy.port, bytes)
    // The proxy shares its connections to the gateway: a byte left over there would spoil this exchange.
    for (let count = 0; count < 2; count += 1) {
      const marker = makeMarker()
      const { text, isHanging } = await talk(proxy.port, marker.bytes)
      const answers = readAnswers(text)
      expect({ isHanging, statuses: answers.map(({ status }) => status) }).toEqual({
        isHanging: false,
        statuses: [200],
      })
      expect(answers[0]?.body).toContain(marker.words)
    }
    expect(gateway.smuggled()).toBe(0)
  })
})

/** Sends bytes and stays until the other side closes or has nothing more to say. */
function send(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.setTimeout(QUIET_MS, () => socket.destroy())
    socket.on('data', () => undefined)
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}
