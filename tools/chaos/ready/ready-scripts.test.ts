import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { openRawClient, rawRequest } from '../../../test/support/raw-client.ts'
import { upstreamScriptSchema } from '../script/script-schema.ts'
import { openFaultUpstream } from '../upstream/open-fault-upstream.ts'
import type { ReadyScript } from './ready-script.ts'
import { readyScripts } from './ready-scripts.ts'

const paths = { chat: '/v1/chat/completions', messages: '/v1/messages' } as const

describe('the ready-made scripts', () => {
  it('cover every row of the fault table, F1 to F46, each with a unique name', () => {
    const rows = new Set(readyScripts.map(({ id }) => id))
    // F47 to F50 (a tool call with broken arguments, the ledger, the limits) have no script of an upstream.
    expect([...rows]).toEqual(Array.from({ length: 46 }, (_, index) => `F${index + 1}`))
    expect(new Set(readyScripts.map(({ name }) => name)).size).toBe(readyScripts.length)
  })

  it.each(readyScripts.map((ready) => [ready.name, ready] as const))('are valid: %s', (_name, { script }) => {
    expect(upstreamScriptSchema.safeParse(script).error).toBeUndefined()
  })
})

/** Those whose fault is in the bytes of one answer over a plain connection. */
const seenInBytes = readyScripts.filter(
  ({ script, origin, actor }) =>
    origin === undefined && actor === undefined && script.refuse === undefined && script.tls === undefined,
)
const cases = seenInBytes.flatMap((ready) =>
  ready.formats.flatMap((format) =>
    ready.forms.map((form) => [`${ready.name} ${format} ${form}`, ready, format, form] as const),
  ),
)

/**
 * The view of a caller of two requests on one connection within a minute: bytes, the times of their coming, the end.
 */
async function observe(
  script: ReadyScript['script'],
  format: 'chat' | 'messages',
  form: 'stream' | 'whole',
): Promise<string> {
  const clock = createFakeClock()
  const upstream = await openFaultUpstream({ clock, seed: 7, script })
  const client = await openRawClient(upstream.port)
  const body = {
    model: 'm',
    stream: form === 'stream',
    stream_options: { include_usage: true },
    messages: [],
  }
  const writes: number[] = []
  let ending = 'open'
  void client.ended.then((how) => {
    ending = how
  })
  for (let turn = 0; turn < 2; turn += 1) {
    client.send(rawRequest(paths[format], body))
    for (let second = 0; second < 60; second += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(1_000)
      writes.push(upstream.traffic.bytesSent)
    }
    if (upstream.requests[turn]?.outcome !== 'answered') break
  }
  await new Promise((resolve) => setImmediate(resolve))
  const seen = `${client.bytes.subarray(0, 1_000_000).toString('latin1')}|${writes.join()}|${ending}|${client.bytes.length}`
  client.close()
  await upstream.close()
  expect(clock.pendingTimers).toBe(0)
  return seen
}

describe('each ready-made script', () => {
  it.each(cases)('differs from a normal answer on the wire: %s', async (_name, ready, format, form) => {
    expect(await observe(ready.script, format, form)).not.toBe(await observe({}, format, form))
  })
})
