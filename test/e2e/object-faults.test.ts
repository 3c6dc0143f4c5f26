import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { type ObjectFault, objectFaults, silence } from '../support/faults/object-faults.ts'
import {
  type ObjectOperation,
  type OperationScene,
  openGeminiScene,
  openMessagesScene,
  openOpenaiScene,
} from '../support/faults/object-operations.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

/** The number of rows of the ledger by their state; a correction is `settled`. */
async function countRows({ gateway }: OperationScene): Promise<Readonly<Record<string, number>>> {
  const { body } = await createAskAdmin(gateway.url)('GET', '/ledger?limit=100')
  const { data } = body as { readonly data: readonly Record<string, unknown>[] }
  const counts: Record<string, number> = {}
  for (const { state } of data) counts[String(state)] = (counts[String(state)] ?? 0) + 1
  return counts
}

interface Seen {
  readonly status: number
  /** The body; undefined where it breaks off. */
  readonly text: string | undefined
  readonly retryAfter: string | null
}

async function call({ gateway }: OperationScene, { path, init }: ObjectOperation): Promise<Seen> {
  const answer = await fetch(gateway.url + path, init)
  // What breaks off has no text.
  const text = await answer.text().catch(() => undefined)
  return { status: answer.status, text, retryAfter: answer.headers.get('retry-after') }
}

/** Meets one fault with one call, which must not be repeated. Gives whether there was such a fault. */
async function tryFault(
  scene: OperationScene,
  operation: ObjectOperation,
  fault: ObjectFault,
): Promise<boolean> {
  const { upstream } = scene
  const expected = fault.expected(operation.kind)
  if (expected === undefined) return false
  const name = `${operation.name}: ${fault.name}`
  const before = upstream.requests.length
  upstream.failNext(fault.answer(operation.kind))
  const { status, text, retryAfter } = await call(scene, operation)
  // The messages format has a status of its own for an overload.
  const shown = status === 529 ? 503 : status
  expect([name, text === undefined ? 'broken' : shown]).toEqual([name, expected])
  expect([name, /remote/i.test(text ?? '')]).toEqual([name, false])
  if (expected === 429) expect([name, retryAfter]).toEqual([name, '7'])
  expect([name, upstream.requests.length - before]).toEqual([name, 1])
  return true
}

const forms = [
  ['OpenAI', openOpenaiScene, 7],
  ['Anthropic', openMessagesScene, 8],
  ['Gemini', openGeminiScene, 7],
] as const

describe.each(forms)("a fault of a provider with objects of %s's form", (_form, open, operationCount) => {
  it('reaches the caller as its own kind, once, and without the names of the provider', async () => {
    await using scene = await open({ isQuick: false })
    expect(scene.operations.length).toBe(operationCount)
    let tried = 0
    let absent = 0
    for (const operation of scene.operations)
      for (const fault of objectFaults)
        if (await tryFault(scene, operation, fault)) tried += 1
        else absent += 1
    expect(tried + absent).toBe(operationCount * objectFaults.length)
    expect(tried).toBeGreaterThanOrEqual(operationCount * (objectFaults.length - 2))
    // What may have been accepted costs what was held; nothing else costs anything.
    if (scene.operations.some(({ isHeld }) => isHeld === true)) {
      const uncertain = objectFaults.filter(({ isUncertain }) => isUncertain).length
      const rows = { estimated: 1 + uncertain, void: objectFaults.length - uncertain, settled: 1 }
      await expect.poll(() => countRows(scene)).toEqual(rows)
    }
    // After all that, each call is served; those that delete come last.
    for (const operation of scene.operations.toSorted(byDeletion))
      expect([operation.name, (await call(scene, operation)).status]).toEqual([operation.name, 200])
  })

  it('ends with a timeout if the provider is silent', async () => {
    await using scene = await open({ isQuick: true })
    for (const operation of scene.operations) expect(await tryFault(scene, operation, silence)).toBe(true)
  })
})

function byDeletion(one: ObjectOperation, other: ObjectOperation): number {
  return Number(one.init.method === 'DELETE') - Number(other.init.method === 'DELETE')
}

describe.each(forms)("a caller with objects of %s's form", (_form, open) => {
  it('who disconnects within an upload leaves no trace, and the provider is not called', async () => {
    await using scene = await open({ isQuick: false })
    const [upload] = scene.operations
    if (upload === undefined) throw new Error('there is no upload')
    const before = scene.upstream.requests.length
    for (let times = 0; times < 20; times += 1) await leaveWithin(scene, upload)
    const folder = join(scene.gateway.dataFolder, 'uploads')
    const listFiles = () =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    await expect.poll(listFiles).toEqual([])
    // The room of those who left is free once their leaving is seen.
    await expect.poll(async () => (await call(scene, upload)).status).toBe(200)
    expect(scene.upstream.requests.length).toBe(before + 1)
  })

  it('who disconnects before the answer is in the log as gone, and not as answered', async () => {
    needsOneProcess('another process may answer the requests that come later')
    await using scene = await open({ isQuick: false })
    const index = scene.upstream.requests.length
    const look = scene.operations.find(({ kind, init }) => kind === 'json' && init.method === undefined)
    const { promise: hasLeft, resolve: leave } = Promise.withResolvers<void>()
    scene.upstream.failNext({
      headers: { 'content-type': 'application/json' },
      chunks: [hasLeft, looked],
    })
    const leaving = new AbortController()
    const init = { ...look?.init, signal: leaving.signal }
    const asked = fetch(scene.gateway.url + look?.path, init).catch(() => 'left')
    await expect.poll(() => scene.upstream.requests.length).toBe(index + 1)
    leaving.abort()
    expect(await asked).toBe('left')
    // The gateway reads the end of a connection before requests that come later.
    for (let times = 0; times < 3; times += 1) await (await fetch(`${scene.gateway.url}/healthz`)).text()
    leave()
    const rows = async () => (await createAskAdmin(scene.gateway.url)('GET', '/requests?limit=1')).body
    await expect.poll(rows).toMatchObject({ data: [{ status: 499, error: 'client_closed_request' }] })
  })

  it('who disconnects within a download ends the provider’s download', async () => {
    await using scene = await open({ isQuick: false })
    for (const operation of scene.operations.filter(({ kind }) => kind !== 'json')) {
      const index = scene.upstream.requests.length
      const line = `${JSON.stringify({ custom_id: 'a', body: {}, response: {}, result: { type: 'canceled' } })}\n`
      scene.upstream.failNext({ chunks: [line, new Promise(() => undefined)] })
      const leaving = new AbortController()
      const answer = await fetch(scene.gateway.url + operation.path, {
        ...operation.init,
        signal: leaving.signal,
      })
      await answer.body?.getReader().read()
      leaving.abort()
      await expect.poll(() => scene.upstream.requests[index]?.abortedAtMs).toBeDefined()
    }
  })
})

/** An answer to a look at an object of any form. */
const looked = JSON.stringify({
  id: 'batch_1',
  status: 'completed',
  processing_status: 'ended',
  state: 'ACTIVE',
})

/** Announces a large body, sends the beginning of it, and goes. */
async function leaveWithin({ gateway }: OperationScene, { path, init }: ObjectOperation): Promise<void> {
  const isForm = init.body instanceof FormData
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  const sending = request(gateway.url + path, {
    method: 'POST',
    headers: {
      ...(init.headers as Record<string, string>),
      ...(isForm && { 'content-type': 'multipart/form-data; boundary=b' }),
      'content-length': '5000000',
    },
  })
  sending.on('error', () => resolve())
  sending.on('close', () => resolve())
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
  sending.write((isForm ? head : '') + 'x'.repeat(2_000_000), () => sending.destroy())
  await gone
}
