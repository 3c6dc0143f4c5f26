import { keyA } from '../object-gateway.ts'
import { lineOf, openBatchGateway } from '../open-batch-gateway.ts'
import { openGeminiGateway } from '../open-gemini-gateway.ts'
import { openMessageGateway, requestOf } from '../open-message-gateway.ts'
import type { RecordedRequest, ScriptedAnswer } from '../scripted-upstream.ts'
import type { StartedGateway } from '../start-gateway.ts'
import type { AnswerKind } from './object-faults.ts'

/** One call for a file, a batch or cached content, for which the provider is asked once. */
export interface ObjectOperation {
  readonly name: string
  readonly kind: AnswerKind
  readonly path: string
  readonly init: RequestInit
  /** Whether it holds money. */
  readonly isHeld?: true
}

/** A gateway with objects that are there already, and the calls for them. */
export interface OperationScene extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly upstream: {
    readonly requests: readonly RecordedRequest[]
    failNext(answer: ScriptedAnswer): void
  }
  readonly operations: readonly ObjectOperation[]
}

export interface SceneOptions {
  readonly isQuick: boolean
}

const json = { 'content-type': 'application/json' }

async function ask(gateway: StartedGateway, path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(gateway.url + path, init)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

async function idOf(answer: Promise<Response>): Promise<string> {
  const body: unknown = await (await answer).json()
  const { id } = body as { readonly id?: unknown }
  return String(id)
}

export async function openOpenaiScene(options: SceneOptions): Promise<OperationScene> {
  const open = await openBatchGateway(options)
  const { gateway, upstream } = open
  const headers = { authorization: `Bearer ${keyA}` }
  const form = () => {
    const body = new FormData()
    body.append('purpose', 'batch')
    body.append('file', new Blob([lineOf(1)]), 'a.jsonl')
    return body
  }
  const post = (body: object): RequestInit => ({
    method: 'POST',
    headers: { ...headers, ...json },
    body: JSON.stringify(body),
  })
  const upload = { method: 'POST', headers, body: form() }
  const file = await idOf(ask(gateway, '/v1/files', upload))
  const asked = { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }
  const batch = await idOf(ask(gateway, '/v1/batches', post(asked)))
  upstream.finish({ prompt_tokens: 1, completion_tokens: 1 })
  const ended = await ask(gateway, `/v1/batches/${batch}`, { headers })
  const { output_file_id: output } = (await ended.json()) as { readonly output_file_id: string }
  const operations: readonly ObjectOperation[] = [
    { name: 'files.create', kind: 'json', path: '/v1/files', init: upload },
    {
      name: 'files.content of an input',
      kind: 'lines',
      path: `/v1/files/${file}/content`,
      init: { headers },
    },
    {
      name: 'files.content of an output',
      kind: 'lines',
      path: `/v1/files/${output}/content`,
      init: { headers },
    },
    { name: 'files.delete', kind: 'json', path: `/v1/files/${file}`, init: { method: 'DELETE', headers } },
    { name: 'batches.create', kind: 'json', path: '/v1/batches', init: post(asked), isHeld: true },
    { name: 'batches.retrieve', kind: 'json', path: `/v1/batches/${batch}`, init: { headers } },
    {
      name: 'batches.cancel',
      kind: 'json',
      path: `/v1/batches/${batch}/cancel`,
      init: { method: 'POST', headers },
    },
  ]
  return { gateway, upstream, operations, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() }
}

export async function openMessagesScene(options: SceneOptions): Promise<OperationScene> {
  const open = await openMessageGateway(options)
  const { gateway, upstream } = open
  const headers = { 'x-api-key': keyA, 'anthropic-version': '2023-06-01' }
  const form = new FormData()
  form.append('file', new Blob(['some text'], { type: 'text/plain' }), 'a.txt')
  const upload = { method: 'POST', headers, body: form }
  const create = {
    method: 'POST',
    headers: { ...headers, ...json },
    body: JSON.stringify({ requests: [requestOf('one')] }),
  }
  const file = await idOf(ask(gateway, '/v1/files', upload))
  const batches = '/v1/messages/batches'
  const batch = await idOf(ask(gateway, batches, create))
  upstream.finish({ input_tokens: 1, output_tokens: 1 })
  await ask(gateway, `${batches}/${batch}`, { headers })
  const remove = { method: 'DELETE', headers }
  const operations: readonly ObjectOperation[] = [
    { name: 'files.upload', kind: 'json', path: '/v1/files', init: upload },
    { name: 'files.download', kind: 'bytes', path: `/v1/files/${file}/content`, init: { headers } },
    { name: 'files.delete', kind: 'json', path: `/v1/files/${file}`, init: remove },
    { name: 'batches.create', kind: 'json', path: batches, init: create, isHeld: true },
    { name: 'batches.retrieve', kind: 'json', path: `${batches}/${batch}`, init: { headers } },
    { name: 'batches.results', kind: 'lines', path: `${batches}/${batch}/results`, init: { headers } },
    {
      name: 'batches.cancel',
      kind: 'json',
      path: `${batches}/${batch}/cancel`,
      init: { method: 'POST', headers },
    },
    { name: 'batches.delete', kind: 'json', path: `${batches}/${batch}`, init: remove },
  ]
  return { gateway, upstream, operations, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() }
}

export async function openGeminiScene(options: SceneOptions): Promise<OperationScene> {
  const open = await openGeminiGateway(options)
  const { gateway, upstream } = open
  const client = open.clientOf(keyA)
  const headers = { 'x-goog-api-key': keyA }
  const file = (await client.files.upload({ file: new Blob(['some text'], { type: 'text/plain' }) })).name
  const cache = (await client.caches.create({ model: 'm', config: { contents: 'Hi' } })).name
  const start = {
    method: 'POST',
    headers: {
      ...headers,
      ...json,
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': '6',
      'x-goog-upload-header-content-type': 'text/plain',
    },
    body: '{}',
  }
  const started = await ask(gateway, '/upload/v1beta/files', start)
  const session = new URL(started.headers.get('x-goog-upload-url') ?? '').pathname
  const end = { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' }
  const create = {
    method: 'POST',
    headers: { ...headers, ...json },
    body: JSON.stringify({ model: 'models/m', contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
  }
  const change = { method: 'PATCH', headers: { ...headers, ...json }, body: '{"ttl":"60s"}' }
  const remove = { method: 'DELETE', headers }
  const operations: readonly ObjectOperation[] = [
    {
      name: 'the end of an upload',
      kind: 'json',
      path: session,
      init: { method: 'POST', headers: { ...headers, ...end }, body: 'abcdef' },
    },
    { name: 'files.get', kind: 'json', path: `/v1beta/${file}`, init: { headers } },
    { name: 'files.delete', kind: 'json', path: `/v1beta/${file}`, init: remove },
    { name: 'caches.create', kind: 'json', path: '/v1beta/cachedContents', init: create },
    { name: 'caches.get', kind: 'json', path: `/v1beta/${cache}`, init: { headers } },
    { name: 'caches.update', kind: 'json', path: `/v1beta/${cache}`, init: change },
    { name: 'caches.delete', kind: 'json', path: `/v1beta/${cache}`, init: remove },
  ]
  return { gateway, upstream, operations, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() }
}
