import { describe, expect, it } from 'vitest'
import { ask, operationPaths } from '../support/ask.ts'
import type { BodyFormatId } from '../support/body-formats.ts'
import { openGateway, type Script } from '../support/open-gateway.ts'
import { testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const MEGABYTE = 1_048_576
const PIECE = 'a'.repeat(65_536)

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices })}\n\n`
}

const end = `${chunk({}, 'tool_calls')}data: [DONE]\n\n`

const stream = { 'content-type': 'text/event-stream' }

/** One call whose arguments come to so many megabytes. */
function callOf(megabytes: number): Script {
  const open = { index: 0, id: 'call', type: 'function', function: { name: 'f', arguments: '{"a":"' } }
  const piece = chunk({ tool_calls: [{ index: 0, function: { arguments: PIECE } }] })
  const pieces = Array.from({ length: (megabytes * MEGABYTE) / PIECE.length }, () => piece)
  const last = chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] })
  return { headers: stream, chunks: [chunk({ tool_calls: [open] }), ...pieces, last, end] }
}

/** So many calls, each in an event of its own. */
function callsOf(count: number): Script {
  const calls = Array.from({ length: count }, (_, index) => {
    const call = { index, id: `call-${index}`, type: 'function', function: { name: 'f', arguments: '{}' } }
    return chunk({ tool_calls: [call] })
  })
  return { headers: stream, chunks: [calls.join(''), end] }
}

function question(format: BodyFormatId, stream: boolean) {
  return {
    model: 'm',
    stream,
    ...(format === 'responses' ? { input: 'Hi' } : { messages: [{ role: 'user', content: 'Hi' }] }),
    ...(format === 'messages' ? { max_tokens: 10 } : {}),
  }
}

/** A stream that ends in an error is cut. */
async function readAsFarAsItGoes({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  try {
    for await (const part of body ?? []) parts.push(part)
  } catch {
    // As it should.
  }
  return Buffer.concat(parts).toString('utf8')
}

async function emit(script: Script, format: BodyFormatId, more = '') {
  await using open = await openGateway({ scripts: [script], more: `retry: { attempts: 1 }\n${more}` })
  const answer = await fetch(`${open.gateway.url}${operationPaths[format]}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(question(format, true)),
  })
  const text = await readAsFarAsItGoes(answer)
  return { status: answer.status, code: /"code":"(\w+)"/.exec(text)?.[1], text }
}

describe('a streamed answer that is translated', () => {
  it.each(['messages', 'responses'] as const)('may contain a call of 15 MB: %s', async (format) => {
    const { status, text } = await emit(callOf(15), format)
    expect({ status, isWhole: /event: (?:message_stop|response\.completed)/.test(text) }).toEqual({
      status: 200,
      isWhole: true,
    })
  })

  it.each(['messages', 'responses'] as const)('ends in an error at a call of 17 MB: %s', async (format) => {
    const { status, text } = await emit(callOf(17), format)
    expect({ status, isWhole: /event: (?:message_stop|response\.completed)/.test(text) }).toEqual({
      status: 200,
      isWhole: false,
    })
    expect(text.slice(-2_000)).toContain('larger than this gateway accepts')
  })

  it.each(['messages', 'responses'] as const)('may contain 4,000 calls: %s', async (format) => {
    const { status, text } = await emit(callsOf(4_000), format)
    expect({ status, isWhole: /event: (?:message_stop|response\.completed)/.test(text) }).toEqual({
      status: 200,
      isWhole: true,
    })
  })

  it.each(['messages', 'responses'] as const)('ends in an error at 50,000 calls: %s', async (format) => {
    const { status, text } = await emit(callsOf(50_000), format)
    expect({ status, isWhole: /event: (?:message_stop|response\.completed)/.test(text) }).toEqual({
      status: 200,
      isWhole: false,
    })
    expect(text.slice(-2_000)).toContain('more than 4096 parts')
  })
})

it('a request gets the gateway’s own 503 when pending answers use all the memory they may use, and the channel stays in rotation', async () => {
  needsOneProcess('each process bounds the memory of its own answers')
  const whole = { 'content-type': 'application/json' }
  const hung = { headers: whole, chunks: ['{"x":"', 'a'.repeat(30 * MEGABYTE)], ending: 'hang' } as const
  const good = {
    headers: whole,
    chunks: [
      '{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}',
    ],
  }
  const more = 'retry: { attempts: 1 }\nlimits: { held_answers: 128MB }\n'
  await using open = await openGateway({ scripts: [[hung, hung, hung, hung, good]], more })
  const target = { url: open.gateway.url, format: 'chat' } as const
  const controller = new AbortController()
  const hanging = [0, 1, 2, 3].map(() =>
    fetch(`${target.url}${operationPaths.chat}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(question('chat', false)),
      signal: controller.signal,
    }),
  )
  // All grow at once: there is no room for the one that grows last.
  const refused = await Promise.race(hanging)
  expect({ status: refused.status, text: await refused.text() }).toEqual({
    status: 503,
    text: expect.stringContaining('"code":"answers_over_capacity"'),
  })
  expect(refused.headers.get('retry-after')).not.toBeNull()
  expect((await ask(target, question('chat', false))).status).toBe(200)
  controller.abort()
  await Promise.allSettled(hanging)
})
