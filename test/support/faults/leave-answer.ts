import { request } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { SeenRequest } from '../../../tools/chaos/upstream/upstream-traffic.ts'
import { operationPaths } from '../ask.ts'
import { testKey } from '../start-gateway.ts'
import { until } from '../until.ts'
import type { FaultCase } from './list-fault-cases.ts'
import type { FaultBench } from './open-fault-bench.ts'

/** The upstream hears of it no later. */
const MAX_MS = 1_000

const messages = [{ role: 'user' as const, content: 'Hi' }]

/** A caller who leaves as soon as the upstream was asked or, in a stream of words, as the first have come. */
export async function leaveAnswer(
  one: FaultCase,
  { gateway, upstream }: FaultBench,
): Promise<readonly string[]> {
  const begun = Promise.withResolvers<void>()
  const call = one.judge === 'raw' ? askRaw : askBySdk
  const { leave, left } = call(one, gateway.url, () => begun.resolve())
  const find = (): SeenRequest | undefined => upstream.requests.find(({ model }) => model === one.model)
  await until(`${one.model} reaches its upstream`, () => find() !== undefined)
  if (one.script.endsWith('-streaming')) await begun.promise
  const startedAtMs = performance.now()
  leave()
  const problems = [...(await left)]
  const seen = find()
  await seen?.ended
  const tookMs = performance.now() - startedAtMs
  if (seen?.outcome !== 'aborted') problems.push(`the upstream's answer was ${seen?.outcome}`)
  if (tookMs > MAX_MS) problems.push(`the upstream heard of it after ${Math.round(tookMs)} ms`)
  return problems
}

interface Leaver {
  leave(): void
  /** The faults of what the caller's client made of it. */
  readonly left: Promise<readonly string[]>
}

function askRaw({ model, caller, form }: FaultCase, url: string, onWords: () => void): Leaver {
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  const call = request(`${url}${operationPaths[caller]}`, { method: 'POST', headers })
  call.on('error', () => undefined)
  let got = ''
  call.on('response', (answer) => {
    answer.on('error', () => undefined)
    answer.on('data', (chunk: Buffer) => {
      got += chunk
      if (got.includes('word-1')) onWords()
    })
  })
  call.end(JSON.stringify({ model, max_tokens: 64, stream: form === 'stream', messages }))
  return { leave: () => call.destroy(), left: Promise.resolve([]) }
}

function askBySdk(one: FaultCase, url: string, onWords: () => void): Leaver {
  const leaving = new AbortController()
  const { signal } = leaving
  const asked = one.caller === 'chat' ? askChat(one, url, signal) : askMessages(one, url, signal)
  const read = async (): Promise<readonly string[]> => {
    try {
      for await (const piece of asked) if (piece.includes('word-1')) onWords()
    } catch (error) {
      const isOwn = error instanceof OpenAI.APIUserAbortError || error instanceof Anthropic.APIUserAbortError
      return isOwn ? [] : [`the client threw ${String(error)}`]
    }
    // A stream that its own reader leaves ends without an error in both clients.
    return one.form === 'stream' ? [] : ['the client gave an answer']
  }
  return { leave: () => leaving.abort(), left: read() }
}

async function* askChat(
  { model, form }: FaultCase,
  url: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testKey, maxRetries: 1 })
  if (form === 'whole') {
    const reply = await client.chat.completions.create({ model, messages }, { signal })
    yield reply.choices[0]?.message.content ?? ''
    return
  }
  for await (const chunk of await client.chat.completions.create(
    { model, messages, stream: true },
    { signal },
  ))
    yield chunk.choices[0]?.delta.content ?? ''
}

async function* askMessages(
  { model, form }: FaultCase,
  url: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const client = new Anthropic({ baseURL: url, apiKey: testKey, maxRetries: 1 })
  const asked = { model, messages, max_tokens: 64 }
  if (form === 'whole') {
    yield JSON.stringify(await client.messages.create(asked, { signal }))
    return
  }
  for await (const event of await client.messages.create({ ...asked, stream: true }, { signal })) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text
  }
}
